import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inProject, manifest } from './project.mjs'

/**
 * What resolvers without `exports` find (Parcel by default, TypeScript's `moduleResolution: node`): a
 * folder for each entry, with a manifest that names the entry's files. They exist only while packing.
 */
function subpathManifests() {
  return Object.entries(manifest().exports)
    .filter(([entry, target]) => entry !== '.' && target.default)
    .map(([entry, target]) => {
      const up = entry.replace('./', '').replaceAll(/[^/]+/g, '..')
      const file = (name) => name.replace('.', up)
      return {
        folder: entry.slice('./'.length),
        content: {
          main: file(target.default),
          module: file(target.default),
          types: file(target.types),
        },
      }
    })
}

export function writeSubpaths() {
  const { files } = manifest()
  const subpaths = subpathManifests()
  const missing = subpaths.find(({ folder }) => !files.includes(folder.split('/')[0]))
  if (missing) throw new Error(`"files" of package.json lacks the entry "${missing.folder}".`)
  for (const { folder, content } of subpaths) {
    mkdirSync(inProject(folder), { recursive: true })
    writeFileSync(inProject(folder, 'package.json'), `${JSON.stringify(content, null, 2)}\n`)
  }
}

/** Nothing but what was written: a folder that holds something else stays. */
export function removeSubpaths() {
  const folders = subpathManifests().map(({ folder }) => inProject(folder))
  for (const folder of folders) rmSync(path.join(folder, 'package.json'), { force: true })
  for (const folder of folders.toReversed())
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
}
