// npm run size: gzip sizes of what users load, against their budgets.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { inProject } from './lib/project.mjs'

const KILOBYTE = 1000

const budgets = [
  { name: 'page (dist/index.js)', entry: 'index.js', limit: 8 * KILOBYTE },
  { name: 'worker (dist/worker.js)', entry: 'worker.js', limit: 110 * KILOBYTE },
]

let over = false
for (const { name, entry, limit } of budgets) {
  const bytes = [...staticGraph(entry)].reduce((sum, file) => sum + gzipped(file), 0)
  const verdict = bytes <= limit ? 'ok' : 'TOO LARGE'
  over ||= bytes > limit
  console.log(`${name}: ${kilobytes(bytes)} kB gzip, limit ${kilobytes(limit)} kB: ${verdict}`)
}
process.exit(over ? 1 : 0)

/** The file and all that it imports statically; `import()` is left out. */
function staticGraph(file, seen = new Set()) {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, next] of source(file).matchAll(/\bfrom\s*["'`]\.\/([\w.-]+)["'`]/g)) {
    staticGraph(next, seen)
  }
  return seen
}

function gzipped(file) {
  return gzipSync(source(file), { level: 9 }).length
}

function source(file) {
  return readFileSync(inProject('dist', file), 'utf8')
}

function kilobytes(bytes) {
  return (bytes / KILOBYTE).toFixed(1)
}
