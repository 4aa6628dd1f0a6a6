import { readFileSync } from 'node:fs'
import path from 'node:path'

/**
 * The packages whose code is in these modules, sorted by name. `bytes` holds for each build what the
 * bundler rendered of the package there, before minification.
 *
 * @param {readonly { id: string, build: string, bytes: number }[]} modules
 */
export function bundledPackages(modules) {
  const packages = new Map()
  for (const { id, build, bytes } of modules) {
    const folder = packageFolder(id)
    if (!folder) continue
    const found = packages.get(folder) ?? { folder, manifest: manifestIn(folder), bytes: {} }
    found.bytes[build] = (found.bytes[build] ?? 0) + bytes
    packages.set(folder, found)
  }
  return [...packages.values()].toSorted(
    (one, other) =>
      compare(one.manifest.name, other.manifest.name) || compare(keyOf(one), keyOf(other)),
  )
}

/** By code units: the same order on every machine. */
export function compare(one, other) {
  return Number(one > other) - Number(one < other)
}

function keyOf({ manifest }) {
  return `${manifest.name}@${manifest.version}`
}

function packageFolder(moduleId) {
  const normal = moduleId.replaceAll('\\', '/').replace(/^\0/, '')
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(normal)?.[0]
}

function manifestIn(folder) {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
}
