import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type Connect, defineConfig } from 'vite'
import { measuredStream, STREAM_FILE } from './demo/meter/measured-stream.ts'

const root = import.meta.dirname

/**
 * What the demo allows, its worker and the files of Vite's dev server included: no code from text, no
 * script from elsewhere, and no address of a script that isn't made by Offstage's policy. Models may be
 * anywhere; `ws:` is for Vite.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  // blob: is for the inline worker, where the worker's own file can't be loaded.
  "worker-src 'self' blob:",
  "connect-src 'self' http: https: ws:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // lit-html is made by the chat and by the inspector; kiln is the page's own, for the address of its worker.
  "trusted-types offstage lit-html kiln 'allow-duplicates'",
].join('; ')
const headers = { 'Content-Security-Policy': policy }

/** The policy of the workers of engines: WebAssembly, and WebLLM's module, which the demo doesn't ship. */
const enginePolicy = [
  "default-src 'none'",
  "script-src 'self' blob: 'wasm-unsafe-eval' https://cdn.jsdelivr.net",
  "worker-src 'self' blob:",
  "connect-src 'self' blob: http: https:",
].join('; ')

/** Gives workers of engines their own policy. A worker's policy is that of its file. */
function serveEnginePolicy({ middlewares }: { readonly middlewares: Connect.Server }): void {
  middlewares.use((request, response, next) => {
    if (/\/(?:wllama|webllm)-worker[^/]*\.[jt]s/.test(request.url ?? '')) {
      const set = response.setHeader.bind(response)
      response.setHeader = (name, value) =>
        set(name, name === 'Content-Security-Policy' ? enginePolicy : value)
    }
    next()
  })
}

/** The demo imports the package as its users do: by the entries of its exports map. */
export default defineConfig({
  root: path.join(root, 'demo'),
  cacheDir: path.join(root, '.cache/vite-demo'),
  plugins: [
    {
      name: 'repository',
      transformIndexHtml: (html) => html.replaceAll('%REPOSITORY%', repository()),
    },
    {
      name: 'engine-policy',
      configureServer: serveEnginePolicy,
      configurePreviewServer: serveEnginePolicy,
    },
    {
      // The file is served as others are, so that both readers of the main-thread panel fetch it.
      name: 'measured-stream',
      configureServer({ middlewares }) {
        middlewares.use(`/${STREAM_FILE}`, (_request, response) => {
          response.setHeader('content-type', 'text/plain; charset=utf-8')
          response.end(measuredStream())
        })
      },
      generateBundle() {
        this.emitFile({ type: 'asset', fileName: STREAM_FILE, source: measuredStream() })
      },
    },
  ],
  resolve: { alias: publishedEntries() },
  worker: { format: 'es' },
  // The first free port from here on. Bound to this machine only.
  server: { host: '127.0.0.1', port: 5173, strictPort: false, fs: { allow: [root] }, headers },
  preview: { host: '127.0.0.1', headers },
  build: {
    outDir: path.join(root, '.cache/demo'),
    emptyOutDir: true,
    rolldownOptions: {
      input: ['index.html', 'team.html', 'themes.html'].map((page) =>
        path.join(root, 'demo', page),
      ),
    },
  },
})

interface Manifest {
  readonly name: string
  readonly exports: Record<string, string | { default: string }>
  readonly repository: { readonly url: string }
}

function manifest(): Manifest {
  return JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest
}

/** Where the page's links to documents and code lead. */
function repository(): string {
  return manifest()
    .repository.url.replace(/^git\+/, '')
    .replace(/\.git$/, '')
}

function publishedEntries(): { find: RegExp; replacement: string }[] {
  const { name, exports } = manifest()
  return Object.entries(exports).map(([entry, target]) => ({
    // A file may be asked for as text: `?raw`.
    find: new RegExp(`^${entry.replace('.', name).replaceAll('.', '\\.')}(\\?raw)?$`),
    replacement: `${path.join(root, typeof target === 'string' ? target : target.default)}$1`,
  }))
}
