import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { inProject } from './project.mjs'

const INPUT = 'size-input.js'

/**
 * Bytes, compressed, of what a bundler makes of one import: `names` from a built file, with what is loaded at once, and with
 * what is loaded later where the names of chunks match `lazy`.
 */
export async function bundledSize(names, file, { lazy = /^$/ } = {}) {
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
  return withImports(chunks, lazy).reduce(
    (sum, chunk) => sum + gzipSync(chunk.code, { level: 9 }).length,
    0,
  )
}

/** The entry, the chunks that are counted with it, and what these import. */
function withImports(chunks, lazy) {
  const found = new Set(chunks.filter(({ isEntry, fileName }) => isEntry || lazy.test(fileName)))
  for (const { imports } of found)
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) found.add(chunk)
  return [...found]
}
