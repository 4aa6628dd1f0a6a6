import path from 'node:path'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import type { Browser } from '@playwright/test'
import { inProject } from '../../scripts/lib/project.mjs'
import { inTime } from '../torture/patience.ts'
import { planDay, type DayAct } from './day-plan.ts'
import { endOf } from './plan.ts'
import type { Sample } from './probe.ts'
import { deploy, redeploy } from './redeploy.ts'
import { SoakWorld, type SoakTab } from './tab.ts'

export interface DayResult {
  readonly samples: readonly Sample[]
  readonly runs: number
  /** Promises that were broken. */
  readonly wrong: readonly string[]
}

export interface DayOptions {
  readonly seed: number
  readonly hours: number
  onSample?(sample: Sample): void
}

/** A tool that needs a part which is gone fails, and the page's error handler is told why. */
const GONE = 'A part of offstage could not be loaded'

/** Lives through a day in one tab. Its clocks are moved on while nothing runs. */
export async function soakDay(browser: Browser, options: DayOptions): Promise<DayResult> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'offstage-soak-'))
  await deploy(inProject('dist'), folder)
  const world = await SoakWorld.open(browser, folder)
  try {
    return await new Day(world, folder, await world.openTab(), options).play()
  } finally {
    await world.close()
    await rm(folder, { recursive: true, force: true })
  }
}

class Day {
  readonly #world: SoakWorld
  readonly #folder: string
  readonly #tab: SoakTab
  readonly #options: DayOptions
  readonly #samples: Sample[] = []
  readonly #wrong: string[] = []
  #runs = 0
  #isRedeployed = false

  constructor(world: SoakWorld, folder: string, tab: SoakTab, options: DayOptions) {
    this.#world = world
    this.#folder = folder
    this.#tab = tab
    this.#options = options
  }

  async play(): Promise<DayResult> {
    for (const act of planDay(this.#options.seed, this.#options.hours)) await this.#do(act)
    const errors = await this.#tab.errors()
    const others = this.#isRedeployed ? errors.filter((error) => !error.includes(GONE)) : errors
    this.#wrong.push(...others.map((error) => `not caught: ${error}`))
    return { samples: this.#samples, runs: this.#runs, wrong: this.#wrong }
  }

  async #do(act: DayAct): Promise<void> {
    switch (act.act) {
      case 'run': {
        const end = await this.#tab.play(act.run)
        this.#expect(`run ${act.run.n} (${act.run.kind})`, end, endOf(act.run.kind))
        this.#runs += 1
        return this.#tab.forgetOld(act.run)
      }
      case 'idle':
        return this.#tab.probe.passTime(act.untilMinute * 60_000 - (await this.#nowMs()))
      case 'sleep':
        return this.#tab.probe.sleepFor(act.minutes * 60_000)
      case 'second tab':
        return this.#openSecondTab(act.n)
      case 'redeploy':
        return this.#redeploy()
      case 'sample': {
        const sample = await this.#tab.sampleAtRest(this.#runs)
        this.#samples.push(sample)
        return this.#options.onSample?.(sample)
      }
      default:
        return act satisfies never
    }
  }

  /** A part that the tab has not loaded is gone: whoever needs it gets an error, and runs go on. */
  async #redeploy(): Promise<void> {
    const { gone } = await redeploy(this.#folder)
    this.#isRedeployed = true
    this.#expect('parts that are gone', gone.length > 0, true)
    const end = await this.#tab.page.evaluate(() => window.soak.usePart())
    this.#expect('a part that is gone', end, 'worker-load-failed')
  }

  /** The first tab shows what the second one does, and the second one has all parts of the present build. */
  async #openSecondTab(n: number): Promise<void> {
    const skipped = await this.#tab.page.evaluate(() => clock.skipped())
    const second = await this.#world.openTab(skipped)
    const conversationId = `second-tab-${n}`
    const showing = inTime(
      `second tab ${n} in the first one`,
      this.#tab.page.evaluate((id) => window.soak.untilShown(id), conversationId),
    )
    const run = { n: 100_000 + n, kind: 'tool', conversationId, isRemounted: false } as const
    this.#expect(`run in second tab ${n}`, await second.play(run), 'completed')
    this.#expect(`second tab ${n} in the first one`, await showing, true)
    if (this.#isRedeployed)
      this.#expect(
        'a part in a tab of the new build',
        await second.page.evaluate(() => window.soak.usePart()),
        'ok',
      )
    this.#wrong.push(...(await second.errors()).map((error) => `not caught in tab ${n}: ${error}`))
    await second.page.close()
  }

  #nowMs(): Promise<number> {
    return this.#tab.page.evaluate(() => performance.now())
  }

  #expect(what: string, found: unknown, expected: unknown): void {
    if (found !== expected)
      this.#wrong.push(`${what}: ${String(found)} instead of ${String(expected)}`)
  }
}
