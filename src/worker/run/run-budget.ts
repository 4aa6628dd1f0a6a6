import { rests } from '../../conversation/nested.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { Row } from '../../protocol/fact.ts'
import type { RunUsage } from '../../protocol/message.ts'
import type { StepContext } from '../../protocol/questions.ts'
import { pricesMissing } from '../../protocol/prices.ts'
import type { LimitName, Limits } from '../../protocol/run.ts'
import type { RunState } from '../../protocol/state.ts'
import { pricesOf } from '../../providers/catalogue/prices-of.ts'

/** Amounts of its limits that a run has used. */
export interface Spent {
  readonly steps: number
  readonly usage: Pick<RunUsage, 'totalTokens' | 'costUSD'>
  readonly activeMs: number
}

interface Concluding {
  readonly limits: Limits
  /** The limit reached when the current step began. See `Counters`. */
  readonly limit: LimitName | null
}

/** Time that a run was active, computed from its rows. */
export interface ActiveTime {
  readonly activeMs: number
  /** Start of the current active time, in milliseconds since 1970. Null: the run waits for somebody. */
  readonly activeSince: number | null
}

/** The first limit that these runs have reached together. Null: none. Pure. */
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

/** The limit that makes the run's next step its last answer. Null: none. Pure. */
export function limitOf(run: Spent & Concluding): LimitName | null {
  return run.limit ?? reachedLimit(run.limits, [run])
}

/**
 * The step's configuration within the run's limits. A last answer gets `toolChoice: 'none'`. Throws `invalid-config` if
 * the run limits cost and the model's prices are unknown.
 */
export function withinLimits(stepContext: StepContext, run: Spent & Concluding): StepContext {
  const { model } = stepContext
  if (run.limits.costUSD !== undefined && !pricesOf(model))
    throw new OffstageError('invalid-config', pricesMissing(model.model))
  return limitOf(run) === null
    ? stepContext
    : { ...stepContext, model: { ...model, toolChoice: 'none' } }
}

/** The run's active time after one of its rows. `run` is the state after that row, too. Pure. */
export function activeTime(before: ActiveTime, run: RunState, row: Row): ActiveTime {
  const { activeSince } = before
  // The time before the run was resumed doesn't count. A clock that was set back must not subtract time.
  const isCounted = activeSince !== null && row.type !== 'run-taken-up'
  const activeMs = before.activeMs + (isCounted ? Math.max(0, row.at - activeSince) : 0)
  return { activeMs, activeSince: isActive(run) ? row.at : null }
}

/** Whether the run is working, not waiting for somebody or paused. */
function isActive(run: RunState): boolean {
  return run.end === null && !rests(run)
}
