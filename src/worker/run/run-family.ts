import type { RunEnd } from '../../protocol/fact.ts'
import type { RunUsage } from '../../protocol/message.ts'
import type { LimitName } from '../../protocol/run.ts'
import type { CallState } from '../../protocol/state.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import type { CountedRun } from './counters.ts'

/** Whether a run may take its next step. */
export type Admitted =
  /** `run` has the limits of the whole family. If the family has reached one, the step is the last answer. */
  | { readonly type: 'step'; readonly run: CountedRun }
  /** No step: the run is a child. Its parent or the parent's call has ended, or the family has reached a limit. */
  | { readonly type: 'end'; readonly end: RunEnd }

/** A run with its child runs, or with its parent run, as the run's driver sees them. */
export interface RunFamily {
  /** Checks the family's usage, and reserves one step for this run until `stepOver`. */
  admit(run: CountedRun): Promise<Admitted>
  stepOver(): void
  /** Facts for the usage of these calls' child runs that is known here but not stored yet. */
  usageOf(calls: readonly CallState[]): FactDraft[]
  /** Facts for the usage of a call's child run, read from the store, plus the usage in `besides`. */
  storedUsageOf(call: CallState, besides?: RunUsage): Promise<FactDraft[]>
}

/** Default for `limits.steps` of a run and its child runs together, if `maxSteps` isn't higher. */
const STEPS_OF_ALL = 100

/** The limits of a run and its child runs together. Pure. */
export function limitsOfAll({ limits }: Pick<CountedRun, 'limits'>): CountedRun['limits'] {
  const { maxSteps, steps } = limits
  // A run without a step limit means no step limit for its child runs, either.
  if (steps !== undefined || maxSteps < 0) return limits
  return { ...limits, steps: Math.max(STEPS_OF_ALL, maxSteps) }
}

/** The run with the limit that its family has reached, which makes its next step the last answer. Pure. */
export function concluding(run: CountedRun, limit: LimitName | null): CountedRun {
  return { ...run, limit: run.limit ?? limit }
}
