import type { Browser } from '@playwright/test'
import { endOf, planSoak, type Kind, type SoakRun } from './plan.ts'
import type { Sample } from './probe.ts'
import { SoakWorld } from './tab.ts'

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

/** Plays all runs in one page, and looks every now and then at what they have left behind. */
export async function soak(browser: Browser, options: SoakOptions): Promise<SoakResult> {
  const world = await SoakWorld.open(browser)
  try {
    const tab = await world.openTab()
    const samples: Sample[] = []
    const wrong: string[] = []
    const counts: Partial<Record<Kind, number>> = {}
    let diedAt = Number.NEGATIVE_INFINITY
    for (const planned of planSoak(options.seed, options.runs)) {
      const isDeath = planned.kind.startsWith('worker dies')
      const mayDie = performance.now() - diedAt > BETWEEN_DEATHS_MS
      const run: SoakRun = { ...planned, kind: isDeath && !mayDie ? 'tool' : planned.kind }
      if (isDeath && mayDie) diedAt = performance.now()
      if (run.isRemounted) await tab.remount()
      const end = await tab.play(run)
      if (end !== endOf(run.kind)) wrong.push(`run ${run.n} (${run.kind}): ${end}`)
      counts[run.kind] = (counts[run.kind] ?? 0) + 1
      const runs = run.n + 1
      await tab.forgetOld(run)
      if (runs % options.every > 0) continue
      const sample = await tab.sampleAtRest(runs)
      samples.push(sample)
      options.onSample?.(sample)
    }
    return { samples, wrong, errors: await tab.errors(), played: counts }
  } finally {
    await world.close()
  }
}
