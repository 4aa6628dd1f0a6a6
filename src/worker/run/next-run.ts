import type { RunEnd, UserContent } from '../../protocol/fact.ts'
import type { ConversationState, RunState } from '../../protocol/state.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { firstFacts, planDropped } from './first-facts.ts'
import { contentOf, forNextRun } from './queued-messages.ts'
import type { Stop } from './run-context.ts'

/** The run that begins when one ends. */
export interface NextRun {
  readonly runId: string
  /** Queued messages that it begins with. */
  readonly queued: readonly UserContent[]
  readonly facts: readonly FactDraft[]
}

/**
 * What was written for after a run begins the next one, all of it together, with the same limits. Null: there is nothing,
 * or the run was stopped, or waits for outputs. After a run that failed or used up a limit, only the messages of triggers
 * begin another one: a person gets theirs back.
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

/** Somebody stopped it, though it was done before. */
function isStopped(signal: AbortSignal): boolean {
  return signal.aborted && (signal.reason as Stop).type === 'end'
}
