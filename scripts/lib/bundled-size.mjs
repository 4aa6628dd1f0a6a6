import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { inProject } from './project.mjs'

const INPUT = 'size-input.js'

/**
 * Bytes, compressed, of what a bundler makes of one import: `names` from a built file, with what is loaded at once, or,
 * with `lazy`, with what is loaded when it is needed, too.
 */
export async function bundledSize(names, file, { lazy = false } = {}) {
  const code = `export { ${names} } from ${JSON.stringify(inProject('dist', file))}`
  const outputs = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'offstage:input',
        resolveId: (id) => (id.endsWith(INPUT) ? INPUT : null),
        load: (id) => (id === INPUT ? code : null),
      },
    ],
    build: {
      write: false,
      target: 'es2023',
      lib: { entry: INPUT, formats: ['es'] },
      rolldownOptions: { output: { minify: true } },
    },
  })
  const chunks = [outputs].flat().flatMap(({ output }) => output)
  const counted = lazy ? chunks : atOnce(chunks)
  return counted.reduce((sum, chunk) => sum + gzipSync(chunk.code, { level: 9 }).length, 0)
}

/** The entry and what it imports, not what it loads later. */
function atOnce(chunks) {
  const found = new Set()
  const queue = chunks.filter(({ isEntry }) => isEntry)
  for (const chunk of queue) {
    found.add(chunk)
    for (const other of chunks)
      if (chunk.imports.includes(other.fileName) && !found.has(other)) queue.push(other)
  }
  return [...found]
}
