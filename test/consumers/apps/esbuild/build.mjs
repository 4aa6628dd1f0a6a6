// node build.mjs esm | split | iife
import { build } from 'esbuild'

const format = process.argv[2]

await build({
  entryPoints: ['src/index.js'],
  bundle: true,
  format: format === 'iife' ? 'iife' : 'esm',
  splitting: format === 'split',
  outdir: 'dist',
})
