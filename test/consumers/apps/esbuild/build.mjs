// node build.mjs src/index.js esm | split | iife
import { build } from 'esbuild'

const [entry, format] = process.argv.slice(2)

await build({
  entryPoints: { index: entry },
  bundle: true,
  format: format === 'iife' ? 'iife' : 'esm',
  splitting: format === 'split',
  outdir: 'dist',
})
