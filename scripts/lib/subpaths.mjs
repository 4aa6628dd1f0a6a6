import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/**
 * Generates a folder for each entry, with a manifest that names the entry's files. Resolvers without `exports` need
 * them: Parcel by default, and TypeScript's `moduleResolution: node`.
 */
export function subpathManifests({ exports }) {
  return Object.entries(exports)
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

export function writeSubpaths(packageFolder, subpaths) {
  for (const { folder, content } of subpaths) {
    mkdirSync(path.join(packageFolder, folder), { recursive: true })
    const file = path.join(packageFolder, folder, 'package.json')
    writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
  }
}

/** Nothing but what was written: a folder that holds something else stays. */
export function removeSubpaths(packageFolder, subpaths) {
  const folders = subpaths.map(({ folder }) => path.join(packageFolder, folder))
  for (const folder of folders) rmSync(path.join(folder, 'package.json'), { force: true })
  for (const folder of folders.toReversed())
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
}
