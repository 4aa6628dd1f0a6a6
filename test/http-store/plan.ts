import { seeded, type Random } from '../torture/random.ts'
import type { Blow } from './stage.ts'

/** An act of a device. After a `crash`, where its thread ends, another device takes its place. */
export type Act =
  | 'run'
  | 'transfer'
  | 'replace'
  | 'queue'
  | 'steer'
  | 'resume'
  | 'take over'
  | 'abort'
  | 'rename'
  | 'answer'
  | 'reload'
  | 'crash'
  | 'cut'

export interface Step {
  readonly device: number
  readonly act: Act
  readonly afterMs: number
}

/** A conversation, and the devices that work on it. */
export interface TrialPlan {
  readonly seed: number
  /** Hours by which the clock of each device is wrong. */
  readonly clocks: readonly number[]
  readonly steps: readonly Step[]
}

/** Trials side by side on the same servers, and the faults of those servers. */
export interface BatchPlan {
  readonly number: number
  readonly blows: readonly { readonly blow: Blow; readonly afterMs: number }[]
  readonly trials: readonly TrialPlan[]
}

const AT_ONCE = 10
const ACTS: readonly [Act, ...Act[]] = [
  'run',
  'run',
  'run',
  'transfer',
  'transfer',
  'replace',
  'queue',
  'steer',
  'resume',
  'take over',
  'take over',
  'abort',
  'rename',
  'answer',
  'answer',
  'reload',
  'crash',
  'cut',
]
const BLOWS: readonly [Blow, ...Blow[]] = [
  'kill a server',
  'kill a server',
  'kill connections',
  'stop the database',
  'crash the database',
]
const CLOCKS: readonly [number, ...number[]] = [0, 1, -1]
const LONGEST_PAUSE_MS = 250

/** The batches of a seed. The first ones are the same whatever their number. */
export function planBatches(seed: number, trials: number): BatchPlan[] {
  return Array.from({ length: Math.ceil(trials / AT_ONCE) }, (_, number) => {
    const random = seeded(seed * 100_003 + number)
    const count = Math.min(AT_ONCE, trials - number * AT_ONCE)
    return {
      number,
      blows: Array.from({ length: random.below(4) }, () => ({
        blow: random.pick(BLOWS),
        afterMs: random.below(900),
      })),
      trials: Array.from({ length: count }, () => planTrial(random)),
    }
  })
}

function planTrial(random: Random): TrialPlan {
  const clocks = Array.from({ length: 2 + random.below(2) }, () => random.pick(CLOCKS))
  const steps = Array.from({ length: 8 + random.below(6) }, (_, at) => ({
    device: random.below(clocks.length),
    act: at === 0 ? ('run' as const) : random.pick(ACTS),
    afterMs: random.below(LONGEST_PAUSE_MS),
  }))
  return { seed: random.below(2 ** 31), clocks, steps }
}
