// npm run quality [-- --check]: writes docs/quality.md and the mutation score in test/README.md, from etc/quality.json.
import { keepQualityPages } from './lib/quality/rows.mjs'

keepQualityPages({ isCheck: process.argv.includes('--check') })
