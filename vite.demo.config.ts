import { readFileSync } from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vite'

const root = import.meta.dirname

/** The demo imports the package as its users do: by the entries of its exports map. */
export default defineConfig({
  root: path.join(root, 'demo'),
  cacheDir: path.join(root, '.cache/vite-demo'),
  resolve: { alias: publishedEntries() },
  // The first free port from here on. Bound to this machine only.
  server: { host: '127.0.0.1', port: 5173, strictPort: false, fs: { allow: [root] } },
  build: { outDir: path.join(root, '.cache/demo'), emptyOutDir: true },
})

function publishedEntries(): { find: RegExp; replacement: string }[] {
  const { name, exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    name: string
    exports: Record<string, string | { default: string }>
  }
  return Object.entries(exports).map(([entry, target]) => ({
    find: new RegExp(`^${entry.replace('.', name).replaceAll('.', '\\.')}$`),
    replacement: path.join(root, typeof target === 'string' ? target : target.default),
  }))
}
