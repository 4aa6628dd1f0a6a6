import type { RunEnd, UserContent } from '../../protocol/fact.ts'
import type { ConversationState, RunState } from '../../protocol/state.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { firstFacts, planDropped } from './first-facts.ts'
import { contentOf, forNextRun } from './queued-messages.ts'
import type { Stop } from './run-context.ts'

/** The run that starts when another one ends. */
export interface NextRun {
  readonly runId: string
  /** Queued messages that start the run. */
  readonly queued: readonly UserContent[]
  readonly facts: readonly FactDraft[]
}

/**
 * Starts the next run with all messages queued for after this one, under the same limits. Null: none is queued, the run
 * was stopped, or it waits for outputs.
 *
 * Unless the run ended as `completed` or `max-steps`, only messages of triggers start another one. A person gets theirs
 * back.
 */
export function nextRun(
  state: ConversationState,
  { end, run, signal }: { end: RunEnd; run: RunState; signal: AbortSignal },
  newId: () => string,
): NextRun | null {
  const { outcome } = end
  if (outcome === 'waiting' || isStopped(signal)) return null
  const queued = forNextRun(state, outcome === 'completed' || outcome === 'max-steps')
  const [message, ...others] = queued
  if (message === undefined) return null
  const runId = newId()
  const { limits, forCall } = run
  const facts = [
    ...firstFacts([contentOf(message), ...others], limits, forCall && { forCall }),
    ...planDropped(state, message),
  ]
  return { runId, queued, facts: facts.map((fact) => ({ ...fact, runId })) }
}

/** Whether somebody stopped the run, even if it was already done. */
function isStopped(signal: AbortSignal): boolean {
  return signal.aborted && (signal.reason as Stop).type === 'end'
}
