import { rests } from '../../conversation/nested.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { Row } from '../../protocol/fact.ts'
import type { RunUsage } from '../../protocol/message.ts'
import type { StepContext } from '../../protocol/questions.ts'
import { pricesMissing } from '../../protocol/prices.ts'
import type { LimitName, Limits } from '../../protocol/run.ts'
import type { RunState } from '../../protocol/state.ts'
import { pricesOf } from '../../providers/catalogue/prices-of.ts'

/** What a run has used of its limits. */
export interface Spent {
  readonly steps: number
  readonly usage: Pick<RunUsage, 'totalTokens' | 'costUSD'>
  readonly activeMs: number
}

interface Concluding {
  readonly limits: Limits
  /** See `Counters`. */
  readonly limit: LimitName | null
}

/** How long a run was active, as its rows say. */
export interface ActiveTime {
  readonly activeMs: number
  /** Since when it is active; null: it waits for somebody. Milliseconds since 1970. */
  readonly activeSince: number | null
}

/** The first limit that what was spent comes to, of several runs together; null: none. Pure. */
export function reachedLimit(limits: Limits, spent: readonly Spent[]): LimitName | null {
  const { steps, tokens, costUSD, minutes } = limits
  const sum = (of: (one: Spent) => number | undefined): number =>
    spent.reduce((total, one) => total + (of(one) ?? 0), 0)
  if (steps !== undefined && sum((one) => one.steps) >= steps) return 'steps'
  if (tokens !== undefined && sum(({ usage }) => usage.totalTokens) >= tokens) return 'tokens'
  if (costUSD !== undefined && sum(({ usage }) => usage.costUSD) >= costUSD) return 'costUSD'
  if (minutes !== undefined && sum((one) => one.activeMs) >= minutes * 60_000) return 'minutes'
  return null
}

/** The limit for whose sake the run's next step is its last answer; null: it is none. Pure. */
export function limitOf(run: Spent & Concluding): LimitName | null {
  return run.limit ?? reachedLimit(run.limits, [run])
}

/** What a step asks the model with; of a last answer, without calls. Throws `invalid-config`. */
export function withinLimits(stepContext: StepContext, run: Spent & Concluding): StepContext {
  const { model } = stepContext
  if (run.limits.costUSD !== undefined && !pricesOf(model))
    throw new OffstageError('invalid-config', pricesMissing(model.model))
  return limitOf(run) === null
    ? stepContext
    : { ...stepContext, model: { ...model, toolChoice: 'none' } }
}

/** The run's active time after a row of it. `run`: after the row, too. Pure. */
export function activeTime(before: ActiveTime, run: RunState, row: Row): ActiveTime {
  const { activeSince } = before
  // Nobody drove it before it was taken up; and a clock that was set back takes nothing away.
  const isCounted = activeSince !== null && row.type !== 'run-taken-up'
  const activeMs = before.activeMs + (isCounted ? Math.max(0, row.at - activeSince) : 0)
  return { activeMs, activeSince: isActive(run) ? row.at : null }
}

/** Something is done, other than waiting for a person. */
function isActive(run: RunState): boolean {
  return run.end === null && !rests(run)
}
