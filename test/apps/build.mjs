// Builds the apps with Vite, in the folder where their dependencies are: node build.mjs
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { build } from 'vite'

// Builds for production, even if a development server starts the build.
process.env.NODE_ENV = 'production'

const root = import.meta.dirname
const entries = readdirSync(path.join(root, 'src')).filter((name) => /^[a-z-]+\.jsx?$/.test(name))
const input = entries.map((name) => {
  const page = path.join(root, `${path.parse(name).name}.html`)
  writeFileSync(
    page,
    `<!doctype html><meta charset="utf-8"><title>${name}</title><div id="app"></div><script type="module" src="./src/${name}"></script>`,
  )
  return page
})
mkdirSync(path.join(root, 'out'), { recursive: true })
await build({
  root,
  base: './',
  configFile: false,
  logLevel: 'error',
  plugins: [svelte({ configFile: false })],
  define: {
    'process.env.NODE_ENV': '"production"',
    __VUE_OPTIONS_API__: 'true',
    __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
  },
  build: { outDir: 'out', chunkSizeWarningLimit: 10_000, rolldownOptions: { input } },
})
