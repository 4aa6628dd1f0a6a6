import { drive, type Drive, type DriveOptions } from '../../apps/drive.ts'
import { expect, test as base } from './driven.ts'
import type { DrivenPage } from './driven-page.ts'

// The page tools on apps of test/apps, in any browser. Each step is judged by the app's own state,
// never by the tool's report.

export { expect }

export type State = Record<string, unknown>

export interface App extends Drive {
  /** Calls a tool and waits until the app's state matches; resolves to the tool's report. */
  step(tool: string, input: object, expected: State): Promise<string>
  /** Calls the app's `window.state()`. */
  state(): Promise<State>
  /** Calls a function in the page with plain data. Nothing outside the function exists there. */
  evaluate: DrivenPage['evaluate']
}

interface TestFixtures {
  /** Opens an app of test/apps by its entry's name, with the page's tools lent. */
  app: (name: string) => Promise<App>
}

export const test = base.extend<TestFixtures>({
  app: async ({ apps, driven }, use) => {
    let opened = ''
    await use(async (name) => {
      opened = name
      await driven.goto(`${apps.url}/apps/${name}.html`)
      await expect.poll(() => driven.evaluate(() => 'state' in window)).toBe(true)
      return asApp(driven)
    })
    // An app's own trouble isn't the tools' failure, but helps to understand one.
    for (const error of await driven.errors()) console.log(`${opened}: ${error}`)
  },
})

/** Lends the page's tools to a page that tells its `window.state()`. */
export async function asApp(page: DrivenPage, options?: DriveOptions): Promise<App> {
  const driven = await drive(page, options)
  const state = (): Promise<State> =>
    page.evaluate(() => (window as unknown as { state: () => State }).state())
  return Object.assign(driven, {
    state,
    evaluate: page.evaluate,
    async step(tool: string, input: object, expected: State) {
      const report = await driven.call(tool, input)
      const message = `${tool} ${JSON.stringify(input)}\n${report}`
      await expect.poll(state, { message }).toMatchObject(expected)
      // `npm test` counts what an app itself has confirmed.
      if (Object.keys(expected).length > 0)
        test.info().annotations.push({ type: 'interaction', description: tool })
      return report
    },
  })
}
