// npm run test:llama: the providers against llama.cpp's own server, which is built once and kept.
import { installDependencies, requireNode } from '../lib/install.mjs'
import { endLongRun } from '../lib/long-run/end.mjs'
import { playUnitTests } from '../lib/play.mjs'
import { tallyOfTotals } from '../lib/long-run/tally.mjs'
import { vitestTotals } from '../lib/test-totals.mjs'
import { ensureLlamaServer } from './build-server.mjs'

requireNode()
await installDependencies()
const { server, templates } = await ensureLlamaServer()
const args = process.argv.slice(2)
const { code, report } = await playUnitTests(
  'llama',
  ['--config', 'test/llama/vitest.config.ts', ...args],
  { env: { OFFSTAGE_LLAMA_SERVER: server, OFFSTAGE_LLAMA_TEMPLATES: templates } },
)
endLongRun({
  row: 'llama',
  tally: tallyOfTotals(report && vitestTotals(report)),
  code,
  unit: 'tests',
  isWhole: args.length === 0,
})
