import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { LLMS_FILES, writeLlms } from './llms.mjs'
import { inProject, root } from './project.mjs'
import { npm } from './run.mjs'
import { subpathManifests, writeSubpaths } from './subpaths.mjs'

/** The package that the environment names, such as the one to be released; else, what is built is packed. */
export async function tarballToTest(folder) {
  const { OFFSTAGE_TARBALL: tarball } = process.env
  return tarball ? path.resolve(tarball) : packTarball(folder)
}

/**
 * Packs the package, as built, into a folder; resolves to the tarball's path. It is put together outside of
 * the tree, in a folder of its own: a run that ends early leaves nothing that git sees, and two at once don't
 * meet.
 *
 * @param {string} folder
 * @param {string} [project] the project whose package is packed
 */
export async function packTarball(folder, project = root) {
  for (const parent of [folder, inProject('.cache')]) mkdirSync(parent, { recursive: true })
  const staging = mkdtempSync(inProject('.cache/package-'))
  try {
    copyPackage(project, staging)
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', path.resolve(folder)]
    const { code, stdout, output } = await npm(args, { cwd: staging, quiet: true })
    if (code !== 0) throw new Error(`npm pack failed:\n${output}`)
    // npm 11 answers with a list, later ones with an object by package name.
    const [{ filename }] = Object.values(JSON.parse(stdout))
    return path.join(folder, filename)
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

/** Copies the files that `files` in package.json lists, and writes the generated ones. */
function copyPackage(project, staging) {
  const manifest = JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8'))
  const subpaths = subpathManifests(manifest)
  const entryFolders = new Set(subpaths.map(({ folder }) => folder.split('/')[0]))
  const unlisted = [...entryFolders].find((name) => !manifest.files.includes(name))
  if (unlisted) throw new Error(`"files" of package.json lacks the entry "${unlisted}".`)
  const generated = [...entryFolders, ...LLMS_FILES]
  // npm leaves out what an entry with `!` names.
  const copied = manifest.files.filter((name) => !generated.includes(name) && !name.startsWith('!'))
  for (const name of ['package.json', ...copied])
    cpSync(path.join(project, name), path.join(staging, name), { recursive: true })
  writeSubpaths(staging, subpaths)
  writeLlms(staging)
}
