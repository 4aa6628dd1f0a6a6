// npm runs it around `npm pack` and `npm publish` in this folder: node scripts/prepack.mjs [--undo]
// The project's own scripts pack outside of the tree (scripts/lib/pack.mjs), where two at once don't meet.
import { removeLlms, writeLlms } from './lib/llms.mjs'
import { manifest, root } from './lib/project.mjs'
import { removeSubpaths, subpathManifests, writeSubpaths } from './lib/subpaths.mjs'

const subpaths = subpathManifests(manifest())
if (process.argv.includes('--undo')) {
  removeSubpaths(root, subpaths)
  removeLlms(root)
} else {
  writeSubpaths(root, subpaths)
  writeLlms(root)
}
