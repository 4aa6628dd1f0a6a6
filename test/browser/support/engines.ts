import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'vite'
import type * as offstage from '../../../src/index.ts'
import type { promptApi, promptApiAvailability } from '../../../src/engines/prompt-api/index.ts'
import type { webllm } from '../../../src/engines/webllm/index.ts'
import type { wllama } from '../../../src/engines/wllama/index.ts'
import { serveSite } from './site.ts'
import { test as base } from './test.ts'
import { tinyGguf } from './tiny-gguf.ts'

export { expect } from './test.ts'

declare global {
  interface Window {
    /** The engines' entries, as `openPage` loads them. */
    engines: {
      readonly wllama: typeof wllama
      readonly webllm: typeof webllm
      readonly promptApi: typeof promptApi
      readonly promptApiAvailability: typeof promptApiAvailability
    }
    offstage: typeof offstage
  }
}

const EXPOSE = `
import * as offstage from '/dist/index.js'
import { wllama } from '/dist/wllama.js'
import { webllm } from '/dist/webllm.js'
import { promptApi, promptApiAvailability } from '/dist/prompt-api.js'
window.offstage = offstage
window.engines = { wllama, webllm, promptApi, promptApiAvailability }
document.documentElement.dataset.ready = ''
`

/** Pages with the engines' entries; a llama.cpp worker as a bundler builds it, its module and a model. */
export const test = base.extend<object, { site: Awaited<ReturnType<typeof serveSite>> }>({
  site: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants the fixtures destructured.
    async ({}, use, { workerIndex }) => {
      const root = path.resolve(import.meta.dirname, '../../..')
      const folder = path.join(root, `.cache/engines-${workerIndex}`)
      const fixtures = path.join(root, 'test/fixtures/engines')
      mkdirSync(folder, { recursive: true })
      const model = tinyGguf()
      writeFileSync(path.join(folder, 'tiny.gguf'), model)
      await bundle(path.join(fixtures, 'wllama-worker.js'), folder)
      const site = await serveSite({
        folders: {
          '/dist/': path.join(root, 'dist'),
          '/engines/': folder,
          '/fixtures/': fixtures,
          '/wllama/': path.join(root, 'node_modules/@wllama/wllama/esm'),
          '/wasm/': path.join(root, 'node_modules/@wllama/wllama/esm/wasm'),
        },
      })
      site.add('/expose.js', { body: EXPOSE })
      site.setHeaders('/engines/tiny.gguf', { 'content-length': String(model.length) })
      await use(site)
      await site.close()
    },
    { scope: 'worker' },
  ],
})

async function bundle(entry: string, outDir: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      outDir,
      emptyOutDir: false,
      minify: false,
      target: 'es2023',
      rolldownOptions: {
        input: entry,
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  })
}
