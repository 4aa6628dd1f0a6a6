import { addGuideProvider, startGuideModel } from '../consumers/custom-provider.ts'
import { packPackage, prepareApp, type AppName } from '../consumers/prepare-app.ts'
import {
  staticFiles,
  viteBuild,
  viteDev,
  webpackBuild,
  type ServedApp,
} from '../consumers/serve-app.ts'
import { expect, test } from './support/test.ts'

interface Consumer {
  readonly title: string
  readonly app: AppName
  readonly serve: (folder: string) => Promise<ServedApp>
  /** Whether the bundler finds the worker file, so that nothing has to be inlined. */
  readonly findsWorkerFile: boolean
}

const consumers: readonly Consumer[] = [
  { title: 'Vite 8, dev server', app: 'vite-8', serve: viteDev, findsWorkerFile: true },
  { title: 'Vite 8, build', app: 'vite-8', serve: viteBuild, findsWorkerFile: true },
  // Its dev server pre-bundles the package and then can't find the worker beside it.
  { title: 'Vite 7, dev server', app: 'vite-7', serve: viteDev, findsWorkerFile: false },
  { title: 'webpack 5, build', app: 'webpack-5', serve: webpackBuild, findsWorkerFile: true },
  { title: 'static files', app: 'static', serve: staticFiles, findsWorkerFile: true },
]

// One after the other: they share their folders and the tarball.
test.describe.configure({ mode: 'default', timeout: 600_000 })

test.describe('a consumer app with the packed package, no configuration', () => {
  let tarball = ''
  test.beforeAll(async () => {
    tarball = await packPackage()
  })

  for (const { title, app, serve, findsWorkerFile } of consumers) {
    test(`runs an agent with a page tool: ${title}`, async ({ page }) => {
      const served = await serve(await prepareApp(app, tarball))
      const workers: string[] = []
      page.on('worker', (worker) => workers.push(worker.url()))
      page.on('pageerror', (error) => console.log(`${title}: ${error.message}`))
      page.on('console', (message) => {
        if (message.type() === 'error') console.log(`${title}: ${message.text()}`)
      })

      await page.goto(served.url)
      await expect(page.locator('#result')).not.toBeEmpty()
      const result = JSON.parse(await page.locator('#result').innerText()) as Result
      expect(result.error).toBeUndefined()
      expect(result).toMatchObject({ outcome: 'completed', text: 'The mug is in the list.' })
      expect(result.events.filter((type) => type === 'tool-result')).toHaveLength(1)
      await expect(page.locator('#items li')).toHaveText(['blue mug'])
      expect(workers.some((url) => url.startsWith('blob:'))).toBe(!findsWorkerFile)
      await served.close()
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
