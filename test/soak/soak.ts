import path from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { serveSite } from '../browser/support/site.ts'
import { inTime, Patience, sleep } from '../torture/patience.ts'
import { startSoakModel } from './model-server.ts'
import { endOf, planSoak, type Kind, type SoakRun } from './plan.ts'
import { Probe, type Sample } from './probe.ts'

declare global {
  interface Window {
    /** What `page.js` gives the page. */
    soak: {
      mount(baseURL: string): void
      unmount(): Promise<void>
      play(run: SoakRun): Promise<string>
      forget(conversationId: string): Promise<boolean>
      /** Where the run stands that is under way. */
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

export interface SoakResult {
  readonly samples: readonly Sample[]
  /** Runs that ended otherwise than they must. */
  readonly wrong: readonly string[]
  readonly errors: readonly string[]
  readonly played: Readonly<Partial<Record<Kind, number>>>
}

export interface SoakOptions {
  readonly seed: number
  readonly runs: number
  /** How many runs there are between two samples. */
  readonly every: number
  onSample?(sample: Sample): void
}

/** Workers are restarted three times a minute at most: they are not killed more often. Milliseconds. */
const BETWEEN_DEATHS_MS = 21_000
/** Conversations older than so many are deleted: what is stored is no leak, but lists grow by it. */
const KEPT = 3

/** Plays all runs in one page, and looks every now and then at what they have left behind. */
export async function soak(browser: Browser, options: SoakOptions): Promise<SoakResult> {
  const root = path.resolve(import.meta.dirname, '../..')
  const site = await serveSite({
    folders: { '/dist/': path.join(root, 'dist'), '/soak/': path.join(root, 'test/soak') },
  })
  site.add('/soak.html', {
    body: '<!doctype html><title>Soak</title><script type="module" src="/soak/page.js"></script>',
  })
  const model = await startSoakModel()
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    const probe = await Probe.begin(page)
    await page.goto(`${site.url}/soak.html`)
    await page.locator('html[data-ready]').waitFor({ state: 'attached' })
    const mount = (): Promise<void> =>
      page.evaluate((url) => window.soak.mount(url), `${model.url}/v1`)
    await mount()
    const samples: Sample[] = []
    const wrong: string[] = []
    const counts: Partial<Record<Kind, number>> = {}
    let diedAt = Number.NEGATIVE_INFINITY
    for (const planned of planSoak(options.seed, options.runs)) {
      const isDeath = planned.kind.startsWith('worker dies')
      const mayDie = performance.now() - diedAt > BETWEEN_DEATHS_MS
      const run: SoakRun = { ...planned, kind: isDeath && !mayDie ? 'tool' : planned.kind }
      if (isDeath && mayDie) diedAt = performance.now()
      if (run.isRemounted) {
        await inTime(
          'dispose',
          page.evaluate(() => window.soak.unmount()),
        )
        await mount()
      }
      const end = await played(page, run)
      if (end !== endOf(run.kind)) wrong.push(`run ${run.n} (${run.kind}): ${end}`)
      counts[run.kind] = (counts[run.kind] ?? 0) + 1
      const runs = run.n + 1
      await forgetOld(page, run)
      if (runs % options.every > 0) continue
      const sample = await restingSample(probe, runs)
      samples.push(sample)
      options.onSample?.(sample)
    }
    const { errors } = await page.evaluate(() => window.soak.counts())
    return { samples, wrong, errors, played: counts }
  } finally {
    await context.close()
    await model.close()
    await site.close()
  }
}

/** How it ended; a run that doesn't is an error that says where it stands. */
async function played(page: Page, run: SoakRun): Promise<string> {
  const what = `run ${run.n} (${run.kind})`
  try {
    return await inTime(
      what,
      page.evaluate((one) => window.soak.play(one), run),
    )
  } catch (cause) {
    const state = await page.evaluate(() => window.soak.explain())
    throw new Error(`${what} does not end: ${state}`, { cause })
  }
}

async function forgetOld(page: Page, { n, conversationId }: SoakRun): Promise<void> {
  const block = Number(conversationId.split('-')[1])
  if (n % 8 > 0 || block < KEPT) return
  await inTime(
    'delete',
    page.evaluate((id) => window.soak.forget(id), `soak-${block - KEPT}`),
  )
}

/** What a run leaves behind for a moment (its lock, its last transaction) is no leak. */
async function restingSample(probe: Probe, runs: number): Promise<Sample> {
  const patience = new Patience()
  for (;;) {
    const sample = await probe.sample(runs)
    const { locks, transactions, pageTimers, workerTimers } = sample
    const isResting = locks + transactions + pageTimers + workerTimers === 0
    if (isResting || patience.isOver([locks, transactions, pageTimers, workerTimers])) return sample
    await sleep(500)
  }
}
