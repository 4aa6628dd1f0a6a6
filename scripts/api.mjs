// npm run api [-- --check]: writes etc/api/offstage.api.md, the report of the public API, from dist's types.
// Run `npm run build` first.
import { existsSync } from 'node:fs'
import { apiReport } from './lib/api-report.mjs'
import { fail } from './lib/install.mjs'
import { keepFile } from './lib/kept-file.mjs'
import { inProject, manifest } from './lib/project.mjs'

if (!existsSync(inProject('dist/types'))) fail('dist is missing: npm run build')
const isCheck = process.argv.includes('--check')
const text = apiReport(manifest().exports, inProject())
keepFile({ file: 'etc/api/offstage.api.md', text, command: 'npm run api', isCheck })
