import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseAst } from 'vite'

/** Names of Node's globals: bundlers that meet one add a polyfill to the page, or warn. */
const NAMES = new Set(['Buffer', 'process', 'global', 'require', '__dirname', '__filename'])

/** The first of Node's globals that a built file refers to, as `{ file, name }`, or null. */
export function firstNodeName(folder) {
  for (const file of readdirSync(folder).filter((entry) => entry.endsWith('.js'))) {
    const name = nodeNameIn(parseAst(readFileSync(path.join(folder, file), 'utf8')))
    if (name) return { file, name }
  }
  return null
}

function nodeNameIn(node) {
  if (node.type === 'Identifier') return NAMES.has(node.name) ? node.name : null
  for (const [key, value] of Object.entries(node)) {
    // The names in `a.name` and `{ name: … }` are properties.
    if ((key === 'property' || key === 'key') && !node.computed) continue
    for (const child of [value].flat()) {
      const name = typeof child?.type === 'string' ? nodeNameIn(child) : null
      if (name) return name
    }
  }
  return null
}
