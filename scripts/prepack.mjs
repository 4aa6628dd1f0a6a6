// npm runs it around `npm pack` and `npm publish`: node scripts/prepack.mjs [--undo]
import { removeSubpaths, writeSubpaths } from './lib/subpaths.mjs'

if (process.argv.includes('--undo')) removeSubpaths()
else writeSubpaths()
