// npm test: installs what is missing, builds, runs the tests; ends with "N passed, N failed".
// npm run test:more: also what `npm test` leaves out, the rest of each large matrix and of each random test.
// npm test -- --changed[=commit]: only tests that differences to the commit concern; without one, what isn't committed.
import { changedTests } from './lib/changed-tests.mjs'
import { runPipeline } from './lib/pipeline.mjs'
import { stages } from './lib/stages.mjs'
import { browserTests, unitTests } from './lib/test-runners.mjs'

const TESTS = ['build', 'unit tests', 'browser tests', 'types', 'snippets']

// The environment says so to the runners, which start in processes of their own.
if (process.argv.includes('--more')) process.env.OFFSTAGE_MORE = '1'
const changedSince = process.argv.map((arg) => /^--changed(?:=(.+))?$/.exec(arg)).find(Boolean)
const all = stages.filter(({ name }) => TESTS.includes(name))
await runPipeline(changedSince ? await concerned(all, changedSince[1] ?? 'HEAD') : all)

async function concerned(all, commit) {
  const { changed, unit, browser } = await changedTests(commit)
  console.log(
    `${changed.length} files differ from ${commit}, which concerns ${unit.length} files of unit tests and ${browser.length} of browser tests.`,
  )
  const chosen = {
    'unit tests': unit.length > 0 && (() => unitTests(unit)),
    'browser tests': browser.length > 0 && (() => browserTests(browser)),
    snippets: changed.some((file) => file.endsWith('.md')),
  }
  return all
    .filter(({ name }) => chosen[name] !== false)
    .map((stage) =>
      typeof chosen[stage.name] === 'function' ? { ...stage, check: chosen[stage.name] } : stage,
    )
}
