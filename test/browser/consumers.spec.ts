import path from 'node:path'
import { inProject } from '../../scripts/lib/project.mjs'
import { viteBuild } from '../consumers/builders.ts'
import { compileApp } from '../consumers/compile-app.ts'
import { addGuideProvider, startGuideModel } from '../consumers/custom-provider.ts'
import { BrowserLacks, openPage } from '../consumers/open-page.ts'
import { packPackage, prepareApp } from '../consumers/prepare-app.ts'
import { setups } from '../consumers/setups.ts'
import { compilationsOf, typeSetups } from '../consumers/type-setups.ts'
import { useShop } from '../consumers/use-shop.ts'
import { MORE } from './support/more.ts'
import { expect, test } from './support/test.ts'

/** `npm run test:consumers` tries all set-ups; `npm run test:more` those that are quick and download little. */
const all = process.env.OFFSTAGE_CONSUMERS === 'all'
const OWN_COMPILER = inProject('node_modules/typescript/bin/tsc')
const OWN_RESOLUTIONS = ['node16', 'bundler']

// Tests run one after another, because they share their folders and the tarball.
test.describe.configure({ mode: 'default', timeout: 600_000 })

test.describe('the packed package', () => {
  let tarball = ''
  test.beforeAll(async () => {
    tarball = await packPackage()
  })

  const closing: { close(): Promise<void> }[] = []
  test.afterEach(async () => {
    for (const opened of closing.splice(0).toReversed()) await opened.close()
  })

  for (const setup of setups.filter(({ fast }) => all || fast)) {
    test(`works across reloads: ${setup.title}`, MORE, async ({ page, launchOptions }) => {
      test.info().annotations.push({ type: 'setup', description: setup.title })
      const served = await setup.serve(await prepareApp(setup.app, tarball))
      closing.push(served)
      const opened = await openPage(setup, served.url, { page, launchOptions }).catch(skipIfLacking)
      closing.push(opened)
      const observed = await useShop(opened.page, opened.url, setup)
      test.info().annotations.push({ type: 'worker', description: observed.worker })
      const unexpected = observed.console.filter((line) => !setup.console?.test(line))
      expect({ ...observed, console: unexpected }).toEqual({
        worker: setup.worker,
        storage: setup.forgets ? 'memory' : 'durable',
        warnings: setup.worker === 'inline' ? 'worker-inlined' : '',
        console: [],
      })
      expect(unexpectedWarnings(served.output(), setup.reports)).toEqual([])
    })
  }

  // The project's own compiler is there anyway; the others are downloads.
  test("has types for every resolution and lib: this project's TypeScript", MORE, async () => {
    const folder = await prepareApp('types', tarball)
    expect(await compileApp(folder, OWN_COMPILER, compilationsOf(OWN_RESOLUTIONS))).toEqual([])
  })

  for (const { title, compiler, resolutions } of all ? typeSetups : []) {
    test(`has types for every resolution and lib: ${title}`, async () => {
      test.info().annotations.push({ type: 'setup', description: title })
      const compilers = await prepareApp('compilers', tarball)
      const folder = await prepareApp('types', tarball)
      const tsc = path.join(compilers, 'node_modules', compiler, 'bin/tsc')
      expect(await compileApp(folder, tsc, compilationsOf(resolutions))).toEqual([])
    })
  }

  test("runs the guide's provider in its own worker: Vite 8, build", MORE, async ({ page }) => {
    const folder = await prepareApp('custom-provider', tarball)
    addGuideProvider(folder)
    const model = await startGuideModel()
    const served = await viteBuild(folder)
    const workers: string[] = []
    page.on('worker', (worker) => workers.push(worker.url()))

    await page.goto(`${served.url}?model=${encodeURIComponent(model.url)}`)
    await expect(page.locator('#result')).not.toBeEmpty()
    const result = JSON.parse(await page.locator('#result').innerText()) as Result
    expect(result.error).toBeUndefined()
    expect(result).toMatchObject({ outcome: 'completed', text: 'The mug is in the list.' })
    // The first answer was cut before its end: its call did not run.
    expect(result.events.filter((type) => type === 'retry')).toHaveLength(1)
    await expect(page.locator('#items li')).toHaveText(['blue mug'])
    expect(workers.map((url) => url.startsWith(served.url))).toEqual([true])
    expect(model.problems).toEqual([])
    await served.close()
    await model.close()
  })
})

/** Not silently: the list of tests has no reasons. */
function skipIfLacking(error: unknown): never {
  if (!(error instanceof BrowserLacks)) throw error
  console.log(`Skipped: ${error.message}`)
  test.skip(true, error.message)
  throw error
}

/** Lines in which a builder warns of something else than `expected`; a lack of that is told, too. */
function unexpectedWarnings(output: string, expected: RegExp | undefined): readonly string[] {
  const warnings = output
    .split('\n')
    .filter((line) => /\bwarn(?!-of-)|⚠|does not exist/i.test(line))
  if (!expected) return warnings
  if (!warnings.some((line) => expected.test(line)))
    return [`Nothing like ${expected} was reported.`]
  return warnings.filter((line) => !expected.test(line))
}

interface Result {
  readonly outcome: string
  readonly text: string
  readonly error?: unknown
  readonly events: readonly string[]
}
