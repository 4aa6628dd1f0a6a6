import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { playBrowserTests } from '../../../scripts/lib/play.mjs'
import {
  problemsOf,
  talliesIn,
  tallyOfTotals,
  type Tally,
} from '../../../scripts/lib/long-run/tally.mjs'
import { inProject, manifest } from '../../../scripts/lib/project.mjs'
import { RUNS } from '../../../scripts/lib/quality/runs.mjs'
import { run } from '../../../scripts/lib/run.mjs'
import { vitestTotals } from '../../../scripts/lib/test-totals.mjs'

const HELD: Tally = { played: 5, kept: 0, violated: 0 }

function end(tally: Tally, code = 0): Promise<{ code: number; stdout: string }> {
  const tool = inProject('test/fixtures/long-run/end.mjs')
  return run(process.execPath, [tool, JSON.stringify(tally), String(code)], { quiet: true })
}

test('a long run without violations exits with 0 and reports its trials', async () => {
  const { code, stdout } = await end({ played: 5, kept: 7, violated: 0 })
  expect(stdout).toContain('12 trials, 0 with a violation (5 played now, 7 kept')
  expect(code).toBe(0)
})

test.each([
  ['a planted violation', { ...HELD, violated: 1 }, 0, 'FAILED: 1 with a violation.'],
  ['nothing played', { ...HELD, played: 0 }, 0, 'FAILED: Nothing was played.'],
  ['only kept trials', { ...HELD, played: 0, kept: 9 }, 0, 'FAILED: Nothing was played.'],
  ['a failed test runner', HELD, 3, 'FAILED: What played the trials ended with exit code 3.'],
])('a long run with %s exits with 1', async (_case, tally, code, said) => {
  const ended = await end(tally, code)
  expect(ended.stdout).toContain(said)
  expect(ended.code).toBe(1)
})

test('browser tests report their tallies to the tool, including passed tests', async () => {
  const { code, report } = await playBrowserTests('planted', [
    '--config',
    'test/fixtures/long-run/playwright.config.ts',
  ])
  expect(code).toBe(0)
  expect(talliesIn(report)).toEqual({ played: 5, kept: 1, violated: 1 })
}, 240_000)

test('unit tests report their tallies to the tool, including passed tests', () => {
  const assertionResults = [{ meta: { tally: HELD } }, { meta: {} }, { meta: { tally: HELD } }]
  expect(talliesIn({ testResults: [{ assertionResults }] })).toEqual({ ...HELD, played: 10 })
})

test('a missing report, or one without tests, counts as nothing played', () => {
  const nothing = { played: 0, kept: 0, violated: 0 }
  expect(talliesIn(null)).toEqual(nothing)
  expect(tallyOfTotals(null)).toEqual(nothing)
  const empty = { numPassedTests: 0, numFailedTests: 0, testResults: [] }
  expect(problemsOf(tallyOfTotals(vitestTotals(empty)))).toEqual(['Nothing was played.'])
})

test.each(Object.entries(RUNS))('%s follows the exit rules of all long runs', (id, { command }) => {
  const [, script = ''] = /^npm run ([\w:]+)/.exec(command) ?? []
  const { scripts } = manifest() as { scripts: Record<string, string> }
  const [, file = ''] = /^node (\S+)/.exec(scripts[script] ?? '') ?? []
  const text = readFileSync(inProject(file), 'utf8')
  expect(text).toContain('endLongRun({')
  // An exit code of its own would pass over the verdict.
  expect(text).not.toMatch(/process\.exit\((?:code|0)\)/)
  const [tool = ''] = id.split('-')
  expect(text).toMatch(new RegExp(`row: ['\`]${tool}`))
})
