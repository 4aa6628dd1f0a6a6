// npm run verify: what a pull request must pass, `npm test` and `npm run check` in one, with nothing run twice.
import { runPipeline } from './lib/pipeline.mjs'
import { stages } from './lib/stages.mjs'

// A pull request is judged by its own change: its random tests are the same every time. `npm test` draws new ones, and so
// does `npm run test:more` each night, ten times as many.
process.env.OFFSTAGE_SEED ||= '1'
await runPipeline(stages)
