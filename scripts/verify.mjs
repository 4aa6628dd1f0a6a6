// npm run verify: what a pull request must pass, `npm test` and `npm run check` in one, with nothing run twice.
import { runPipeline } from './lib/pipeline.mjs'
import { stages } from './lib/stages.mjs'

await runPipeline(stages)
