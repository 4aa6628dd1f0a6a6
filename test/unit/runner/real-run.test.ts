import { cpSync, mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { MORE } from '../../../scripts/lib/more.mjs'
import { inProject } from '../../../scripts/lib/project.mjs'
import { run } from '../../../scripts/lib/run.mjs'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** False at first, and true whenever the same test is run again. */
const IS_AGAIN = `
import { existsSync, writeFileSync } from 'node:fs'
function isAgain(test) {
  const file = import.meta.filename + '.' + test
  const ran = existsSync(file)
  writeFileSync(file, '')
  return ran
}
`
const UNIT = `
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
${IS_AGAIN}
test('steady', () => {})
describe('a group (of one)', () => {
  test('flaky', () => expect(isAgain('flaky')).toBe(true))
})
test('seeded', () => {
  console.log('drawn: ' + fc.sample(fc.nat(), 3))
  expect(isAgain('seeded')).toBe(true)
})
`
const BROWSER = `
import { expect, test } from '@playwright/test'
${IS_AGAIN}
test('steady', () => {})
test('flaky', () => expect(isAgain('flaky')).toBe(true))
`
const RUN = `
import { runPipeline } from './scripts/lib/pipeline.mjs'
import { browserTests, unitTests } from './scripts/lib/test-runners.mjs'

await runPipeline([
  { name: 'units', check: () => unitTests() },
  { name: 'browser', check: () => browserTests() },
])
`

const OUTSIDE = `
import { afterAll, test } from 'vitest'
afterAll(() => { throw new Error('left behind') })
test('steady', () => {})
`
const PASSED_ALONE = new RegExp(
  [
    '── Passed when alone .*',
    ' {3}test/unit/chat\\.test\\.ts › a group \\(of one\\) flaky',
    ' {3}test/unit/chat\\.test\\.ts › seeded',
    ' {3}test/browser/chat\\.spec\\.ts:\\d+ › flaky',
    '',
  ].join('\n'),
)

/** A project of its own that has this one's scripts, and these tests. */
function project(tests: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(inProject('.cache'), 'real-run-'))
  folders.push(folder)
  for (const name of [
    'scripts',
    'test/setup',
    'test/unit/more.ts',
    'package.json',
    'package-lock.json',
  ])
    cpSync(inProject(name), path.join(folder, name), { recursive: true })
  symlinkSync(inProject('node_modules'), path.join(folder, 'node_modules'), 'junction')
  const files = {
    'run.mjs': RUN,
    'vitest.config.ts': `export default { test: { include: ['test/unit/**/*.test.ts'], setupFiles: ['test/setup/seed.ts'] } }`,
    'playwright.config.ts': `export default { testDir: 'test/browser', outputDir: '.cache/playwright' }`,
    ...tests,
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  return folder
}

// `npm run test:more` only: it starts each test runner twice.
test.runIf(MORE)(
  'a real run forgives tests that pass alone, except those that must never fail',
  { timeout: 600_000 },
  async () => {
    const { code, output } = await run(process.execPath, ['run.mjs'], {
      cwd: project({
        'test/unit/chat.test.ts': UNIT,
        'test/unit/worker/crash.test.ts': UNIT,
        'test/unit/outside.test.ts': OUTSIDE,
        'test/browser/chat.spec.ts': BROWSER,
      }),
      quiet: true,
      env: { ...process.env, FORCE_COLOR: '0', OFFSTAGE_SEED: '' },
    })
    expect(output).toMatch(PASSED_ALONE)
    expect(output).toMatch(
      /── FAILED .*crash\.test\.ts › seeded\n.*durability .*OFFSTAGE_SEED=\d+\n/,
    )
    expect(output).toMatch(/── FAILED outside of any test\n.*left behind/)
    expect(output).toMatch(/\n7 passed, 3 failed\n$/)
    const drawn = [...output.matchAll(/drawn: ([\d,]+)/g)].map(([, values]) => values)
    expect(drawn).toEqual(Array.from({ length: 4 }, () => drawn[0]))
    expect(code).toBe(1)
  },
)
