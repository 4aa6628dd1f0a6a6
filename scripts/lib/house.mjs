import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { filesBelow, inProject } from './project.mjs'

/** Lines of code below which a module with one importer beside it should be part of that importer. */
const SMALL = 80

/** Figures of the modules in `src`: how many, how long, and how they lie in folders. */
export function houseFigures() {
  const root = inProject('src')
  const files = filesBelow(root).filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  const modules = new Map(files.map((file) => [file, readModule(root, file)]))
  const importers = new Map()
  for (const [file, { imports }] of modules)
    for (const target of imports) importers.set(target, [...(importers.get(target) ?? []), file])
  const small = files.filter((file) => {
    const [importer, ...otherImporters] = importers.get(file) ?? []
    if (importer === undefined || otherImporters.length > 0 || modules.get(file).lines >= SMALL)
      return false
    return path.dirname(importer) === path.dirname(file) && !modules.get(importer).isLoading(file)
  })
  const folders = new Map()
  for (const file of files)
    folders.set(path.dirname(file), (folders.get(path.dirname(file)) ?? 0) + 1)
  const lines = [...modules.values()].map((module) => module.lines).toSorted((a, b) => a - b)
  return {
    files: files.length,
    lines: lines.reduce((sum, count) => sum + count, 0),
    longest: lines.at(-1),
    rooms: new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]))
      .size,
    fullest: Math.max(...folders.values()),
    small: small.length,
  }
}

/** `lines`: code without comments, blank lines, imports and re-exports. */
function readModule(root, file) {
  const text = readFileSync(path.join(root, file), 'utf8')
  const folder = path.dirname(file)
  const statements = /^(?:import|export)\b[^'"`;=(]*?\bfrom '[^']*'$|^import '[^']*'$/gm
  const lines = text
    .replaceAll(statements, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*(?:\/\/|\/?\*)/.test(line)).length
  const targets = (expression) =>
    [...text.matchAll(expression)]
      .map(([, specifier]) => path.posix.join(folder, specifier))
      .filter((target) => existsSync(path.join(root, target)))
  const loaded = new Set(targets(/\bimport\('(\.[^']+)'\)/g))
  return {
    lines,
    imports: new Set([...targets(/\bfrom '(\.[^']+)'/g), ...loaded]),
    isLoading: (target) => loaded.has(target),
  }
}
