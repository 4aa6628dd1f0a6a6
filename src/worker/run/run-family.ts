import type { RunEnd } from '../../protocol/fact.ts'
import type { RunUsage } from '../../protocol/message.ts'
import type { LimitName } from '../../protocol/run.ts'
import type { CallState } from '../../protocol/state.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import type { CountedRun } from './counters.ts'

/** What a run's next step may be. */
export type Admitted =
  /** `run`: with the limits of all, and the one that they have reached together: it is the last answer then. */
  | { readonly type: 'step'; readonly run: CountedRun }
  /** None: it works for another run, which has ended, or has nothing left. */
  | { readonly type: 'end'; readonly end: RunEnd }

/** A run with those that work for its calls, or with the one that it works for itself, as its driver sees them. */
export interface RunFamily {
  /** Looks at what all have used, and keeps one step for this run until `stepOver`. */
  admit(run: CountedRun): Promise<Admitted>
  stepOver(): void
  /** What the runs for these calls have used, as far as it isn't stored and is known here. */
  usageOf(calls: readonly CallState[]): FactDraft[]
  /** The same, as the store has it by now, and with what was used besides. */
  storedUsageOf(call: CallState, besides?: RunUsage): Promise<FactDraft[]>
}

/** Of all model outputs where calls ask agents, unless `limits.steps` says it. */
const STEPS_OF_ALL = 100

/** The limits of a run and of those that work for it together. Pure. */
export function limitsOfAll({ limits }: Pick<CountedRun, 'limits'>): CountedRun['limits'] {
  const { maxSteps, steps } = limits
  // Who set no limit to the run set none to the others.
  if (steps !== undefined || maxSteps < 0) return limits
  return { ...limits, steps: Math.max(STEPS_OF_ALL, maxSteps) }
}

/** The run as it asks its model for a step that is the last answer if a limit is reached. Pure. */
export function concluding(run: CountedRun, limit: LimitName | null): CountedRun {
  return { ...run, limit: run.limit ?? limit }
}
