// The long run of the ACTION reader's fuzz tests: `npm run fuzz -- 600` (seconds for each property).
import { spawnSync } from 'node:child_process'

const seconds = process.argv[2] ?? '200'
const { status } = spawnSync('npx', ['vitest', 'run', 'test/unit/action/fuzz.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, FUZZ_SECONDS: seconds },
})
process.exit(status ?? 1)
