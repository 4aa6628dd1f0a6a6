import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { inProject, manifest } from './project.mjs'

/**
 * What resolvers without `exports` find (Parcel by default, TypeScript's `moduleResolution: node`): a
 * folder for each entry, with a manifest that names the entry's files. They exist only while packing.
 */
export function subpathManifests() {
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
  for (const { folder, content } of subpathManifests()) {
    const [top] = folder.split('/')
    if (!files.includes(top)) throw new Error(`"files" of package.json lacks "${top}".`)
    mkdirSync(inProject(folder), { recursive: true })
    writeFileSync(inProject(folder, 'package.json'), `${JSON.stringify(content, null, 2)}\n`)
  }
}

export function removeSubpaths() {
  for (const { folder } of subpathManifests())
    rmSync(inProject(folder.split('/')[0]), { recursive: true, force: true })
}
