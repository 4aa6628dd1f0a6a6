import { readFileSync } from 'node:fs'
import path from 'node:path'

const STATIC = /\b(?:from|import)\s*["'`]\.\/([\w.-]+)["'`]/g
const DYNAMIC = /\bimport\(\s*["'`]\.\/([\w.-]+)["'`]\s*\)/g

/**
 * What few pages load: where the worker doesn't start, what finds out why, and the worker as text; where the
 * page sends the model's requests (`transport: 'page'`), what does.
 */
const ON_DEMAND = /^(?:inline\.js|(?:start-diagnosis|page-fetches)-.*)$/

/**
 * A built file and all files it imports; with `dynamic`, also those it imports in its course, but
 * for what few pages need.
 */
export function importGraph(file, { folder, dynamic }, seen = new Set()) {
  if (seen.has(file) || ON_DEMAND.test(file)) return seen
  seen.add(file)
  const code = readFileSync(path.join(folder, file), 'utf8')
  for (const pattern of dynamic ? [STATIC, DYNAMIC] : [STATIC]) {
    for (const [, next] of code.matchAll(pattern)) importGraph(next, { folder, dynamic }, seen)
  }
  return seen
}
