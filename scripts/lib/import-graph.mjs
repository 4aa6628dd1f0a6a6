import { readFileSync } from 'node:fs'
import path from 'node:path'

const STATIC = /\b(?:from|import)\s*["'`]\.\/([\w.-]+)["'`]/g
const DYNAMIC = /\bimport\(\s*["'`]\.\/([\w.-]+)["'`]\s*\)/g

/**
 * Chunks that few pages load:
 * - the inlined worker, and the diagnosis of a worker that doesn't start;
 * - model requests sent from the page (`transport: 'page'`);
 * - the tools of `controlTools`, and `extract()`;
 * - the doctor's check of tools, with the reader of calls in text.
 */
const ON_DEMAND =
  /^(?:inline\.js|(?:start-diagnosis|page-fetches|control-tools|extract|check-tools)-.*)$/

/**
 * A built file and all files it imports; with `dynamic`, also those it imports in its course, but
 * for what few pages need, and for those whose names `except` fits.
 */
export function importGraph(file, { folder, dynamic, except }, seen = new Set()) {
  if (seen.has(file) || ON_DEMAND.test(file) || except?.test(file)) return seen
  seen.add(file)
  const code = readFileSync(path.join(folder, file), 'utf8')
  for (const pattern of dynamic ? [STATIC, DYNAMIC] : [STATIC]) {
    for (const [, next] of code.matchAll(pattern))
      importGraph(next, { folder, dynamic, except }, seen)
  }
  return seen
}
