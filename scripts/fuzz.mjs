// The long run of the ACTION reader's fuzz tests: `npm run fuzz -- 600` (seconds for each property).
import { bin } from './lib/run.mjs'

const seconds = process.argv[2] ?? '200'
const { code } = await bin('vitest', ['run', 'test/unit/action/fuzz.test.ts'], {
  env: { ...process.env, FUZZ_SECONDS: seconds },
})
process.exit(code)
