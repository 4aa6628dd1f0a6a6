// npm run bundled [-- --check]: writes docs/dependencies.md, the list of what is bundled in dist, from
// dist's SBOM and from etc/bundled.json, which says why each package is there. Run `npm run build` first.
import { existsSync } from 'node:fs'
import { bundledPage, REASONS_FILE } from './lib/bundled-page.mjs'
import { fail } from './lib/install.mjs'
import { keepFile } from './lib/kept-file.mjs'
import { inProject, readJson } from './lib/project.mjs'
import { SBOM_FILE } from './lib/sbom.mjs'

if (!existsSync(inProject(SBOM_FILE))) fail(`${SBOM_FILE} is missing: npm run build`)
const isCheck = process.argv.includes('--check')
try {
  const text = bundledPage(readJson(SBOM_FILE).components, readJson(REASONS_FILE))
  keepFile({ file: 'docs/dependencies.md', text, command: 'npm run bundled', isCheck })
} catch (error) {
  fail(error.message)
}
