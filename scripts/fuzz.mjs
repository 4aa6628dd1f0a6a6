// The long run of the ACTION reader's fuzz tests: any output, any calls in any dialect, and the work that slow
// outputs take. `npm run fuzz -- 600`: seconds for each property.
import { bin } from './lib/run.mjs'

const seconds = process.argv[2] ?? '200'
const tests = ['fuzz', 'dialect-properties', 'cost'].map(
  (name) => `test/unit/action/${name}.test.ts`,
)
const { code } = await bin('vitest', ['run', '--no-file-parallelism', ...tests], {
  env: { ...process.env, FUZZ_SECONDS: seconds },
})
process.exit(code)
