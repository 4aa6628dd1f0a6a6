import { planSoak, type SoakRun } from './plan.ts'
import { seeded } from '../torture/random.ts'

export type DayAct =
  | { readonly act: 'run'; readonly run: SoakRun }
  /** The person reads, or does something else, until the tab has been open for so long. */
  | { readonly act: 'idle'; readonly untilMinute: number }
  /** The machine sleeps. */
  | { readonly act: 'sleep'; readonly minutes: number }
  /** A second tab shows a conversation of the first one, makes a run in it, and is closed. */
  | { readonly act: 'second tab'; readonly n: number }
  /** The server's files are replaced by those of another build. */
  | { readonly act: 'redeploy' }
  | { readonly act: 'sample' }

const RUNS_OF_AN_HOUR = 24
const SAMPLES_OF_AN_HOUR = 3
const SLEEP_MINUTES = 40

/**
 * A day in one tab. No worker dies before the redeploy: what a restart loads for the first time is gone by then. Workers die
 * soon after it, and then no more, so that what grows within a worker shows.
 */
export function planDay(seed: number, hours: number): DayAct[] {
  const random = seeded(seed ^ 0xda7)
  const runs = planSoak(seed, Math.round(hours * RUNS_OF_AN_HOUR), {
    mayKill: (share) => share >= 1 / 2 && share < 7 / 12,
  }).map((run) => ({ ...run, isRemounted: false }))
  const samples = Math.round(hours * SAMPLES_OF_AN_HOUR)
  const acts: DayAct[] = []
  for (let period = 0; period < samples; period += 1) {
    const [from, to] = [(period * hours * 60) / samples, ((period + 1) * hours * 60) / samples]
    acts.push(...specialActs(period, samples))
    const own = runs.slice(
      Math.round((period * runs.length) / samples),
      Math.round(((period + 1) * runs.length) / samples),
    )
    const breaks = own
      .map(() => from + random.below(1000) * ((to - from) / 1000))
      .toSorted(ascending)
    for (const [index, run] of own.entries())
      acts.push({ act: 'idle', untilMinute: breaks[index] ?? to }, { act: 'run', run })
    acts.push({ act: 'idle', untilMinute: to }, { act: 'sample' })
  }
  return acts
}

/** At the beginning of a period: each once a day, the second tab before the redeploy and after it. */
function specialActs(period: number, periods: number): DayAct[] {
  const isAt = (share: number): boolean => period === Math.floor(share * periods)
  return [
    ...(isAt(1 / 4) ? [{ act: 'second tab', n: 1 } as const] : []),
    ...(isAt(3 / 8) ? [{ act: 'sleep', minutes: SLEEP_MINUTES } as const] : []),
    ...(isAt(1 / 2) ? [{ act: 'redeploy' } as const] : []),
    ...(isAt(3 / 4) ? [{ act: 'second tab', n: 2 } as const] : []),
  ]
}

function ascending(a: number, b: number): number {
  return a - b
}
