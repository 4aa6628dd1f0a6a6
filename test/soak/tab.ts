import path from 'node:path'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { serveSite, type Site } from '../browser/support/site.ts'
import { inTime, Patience, sleep } from '../torture/patience.ts'
import { startSoakModel } from './model-server.ts'
import type { SoakRun } from './plan.ts'
import { Probe, type Sample } from './probe.ts'

declare global {
  /** Installed in pages and workers by `count.js`. */
  const clock: { skipped(): number }
  interface Window {
    /** Installed in the page by `page.js`. */
    soak: {
      mount(baseURL: string): void
      unmount(): Promise<void>
      play(run: SoakRun): Promise<string>
      forget(conversationId: string): Promise<boolean>
      /** Uses a part of the package that nothing else does. Resolves to `ok` or an error's code. */
      usePart(): Promise<string>
      /** Resolves when a run with a tool has ended in the conversation, wherever it was made. */
      untilShown(conversationId: string): Promise<true>
      /** The state of the current run. */
      explain(): string
      counts(): Promise<{
        readonly timers: number
        readonly transactions: number
        readonly workers: number
        readonly locks: number
        readonly errors: readonly string[]
      }>
    }
  }
}

/** Conversations older than so many are deleted: what is stored is no leak, but lists grow by it. */
const KEPT = 3
const ROOT: string = path.resolve(import.meta.dirname, '../..')

type SoakModel = Awaited<ReturnType<typeof startSoakModel>>

/** The servers of a soak. */
export class SoakWorld {
  readonly #context: BrowserContext
  readonly #site: Site
  readonly #model: SoakModel

  private constructor(context: BrowserContext, site: Site, model: SoakModel) {
    this.#context = context
    this.#site = site
    this.#model = model
  }

  /** Serves the package from a folder. */
  static async open(browser: Browser, folder = path.join(ROOT, 'dist')): Promise<SoakWorld> {
    const site = await serveSite({
      folders: { '/dist/': folder, '/soak/': path.join(ROOT, 'test/soak') },
    })
    site.add('/soak.html', {
      body: '<!doctype html><title>Soak</title><script type="module" src="/soak/page.js"></script>',
    })
    return new SoakWorld(await browser.newContext(), site, await startSoakModel())
  }

  /** A tab with an agent, whose clocks have been moved on already by so much. */
  async openTab(skippedMs = 0): Promise<SoakTab> {
    const page = await this.#context.newPage()
    const probe = await Probe.begin(page)
    await page.goto(`${this.#site.url}/soak.html?skipped=${skippedMs}`)
    await page.locator('html[data-ready]').waitFor({ state: 'attached' })
    const tab = new SoakTab(page, probe, `${this.#model.url}/v1`)
    await tab.mount()
    return tab
  }

  async close(): Promise<void> {
    await this.#context.close()
    await this.#model.close()
    await this.#site.close()
  }
}

/** A tab of a soak. */
export class SoakTab {
  readonly page: Page
  readonly probe: Probe
  readonly #baseURL: string

  constructor(page: Page, probe: Probe, baseURL: string) {
    this.page = page
    this.probe = probe
    this.#baseURL = baseURL
  }

  mount(): Promise<void> {
    return this.page.evaluate((url) => window.soak.mount(url), this.#baseURL)
  }

  async remount(): Promise<void> {
    await inTime(
      'dispose',
      this.page.evaluate(() => window.soak.unmount()),
    )
    await this.mount()
  }

  /** Resolves to the outcome. A run that doesn't end is an error that says where it stands. */
  async play(run: SoakRun): Promise<string> {
    const what = `run ${run.n} (${run.kind})`
    try {
      return await inTime(
        what,
        this.page.evaluate((one) => window.soak.play(one), run),
      )
    } catch (cause) {
      const state = await this.page.evaluate(() => window.soak.explain())
      throw new Error(`${what} does not end: ${state}`, { cause })
    }
  }

  async forgetOld({ n, conversationId }: SoakRun): Promise<void> {
    const block = Number(conversationId.split('-')[1])
    if (n % 8 > 0 || block < KEPT) return
    await inTime(
      'delete',
      this.page.evaluate((id) => window.soak.forget(id), `soak-${block - KEPT}`),
    )
  }

  /** A run leaves its lock and its last transaction behind for a moment, which is no leak. */
  async sampleAtRest(runs: number): Promise<Sample> {
    const patience = new Patience()
    for (;;) {
      const sample = await this.probe.sample(runs)
      const { locks, transactions, pageTimers, workerTimers } = sample
      const isResting = locks + transactions + pageTimers + workerTimers === 0
      if (isResting || patience.isOver([locks, transactions, pageTimers, workerTimers]))
        return sample
      await sleep(500)
    }
  }

  async errors(): Promise<readonly string[]> {
    return (await this.page.evaluate(() => window.soak.counts())).errors
  }
}
