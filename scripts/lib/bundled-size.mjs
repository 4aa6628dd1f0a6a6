import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { inProject } from './project.mjs'

const INPUT = 'size-input.js'

/** Bytes, compressed, of what a bundler makes of one import: `name` from a built file. */
export async function bundledSize(name, file) {
  const code = `export { ${name} } from ${JSON.stringify(inProject('dist', file))}`
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
  return [outputs]
    .flat()
    .flatMap(({ output }) => output)
    .reduce((sum, chunk) => sum + gzipSync(chunk.code, { level: 9 }).length, 0)
}
