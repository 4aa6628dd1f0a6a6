import path from 'node:path'
import { npm } from './run.mjs'
import { removeSubpaths, writeSubpaths } from './subpaths.mjs'

/** `npm pack` into a folder; resolves to the tarball's path. */
export async function packTarball(folder) {
  // What `prepack` does, without the build: its output would be mixed into npm's answer.
  writeSubpaths()
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const { code, stdout, output } = await npm(args, { quiet: true }).finally(removeSubpaths)
  if (code !== 0) throw new Error(`npm pack failed:\n${output}`)
  // npm 11 answers with a list, later ones with an object by package name.
  const [{ filename }] = Object.values(JSON.parse(stdout))
  return path.join(folder, filename)
}
