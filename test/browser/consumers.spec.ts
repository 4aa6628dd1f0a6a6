import { viteBuild } from '../consumers/builders.ts'
import { addGuideProvider, startGuideModel } from '../consumers/custom-provider.ts'
import { openPage } from '../consumers/open-page.ts'
import { packPackage, prepareApp } from '../consumers/prepare-app.ts'
import { setups } from '../consumers/setups.ts'
import { useShop } from '../consumers/use-shop.ts'
import { expect, test } from './support/test.ts'

/** `npm run test:consumers` tries all set-ups; `npm test` those that are quick and download little. */
const all = process.env.OFFSTAGE_CONSUMERS === 'all'

// One after the other: they share their folders and the tarball.
test.describe.configure({ mode: 'default', timeout: 600_000 })

test.describe('the packed package', () => {
  let tarball = ''
  test.beforeAll(async () => {
    tarball = await packPackage()
  })

  for (const setup of setups.filter(({ fast }) => all || fast)) {
    test(`works over reloads: ${setup.title}`, async ({ page, launchOptions }, testInfo) => {
      const served = await setup.serve(await prepareApp(setup.app, tarball))
      const opened = await openPage(setup, served.url, { page, launchOptions })
      const observed = await useShop(opened.page, opened.url, setup)
      testInfo.annotations.push({ type: 'observed', description: JSON.stringify(observed) })
      await opened.close()
      await served.close()
      if (process.env.SHOW) console.log(JSON.stringify(observed), served.output())
      expect(observed.worker).toBe(setup.worker)
      expect(observed.storage).toBe(setup.forgets ? 'memory' : 'durable')
      expect(observed.console).toEqual([])
    })
  }

  test('runs the provider of the guide in a worker of its own: Vite 8, build', async ({ page }) => {
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

interface Result {
  readonly outcome: string
  readonly text: string
  readonly error?: unknown
  readonly events: readonly string[]
}
