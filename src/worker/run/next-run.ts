import type { RunEnd } from '../../protocol/fact.ts'
import type { ConversationState, RunState } from '../../protocol/state.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { firstFacts, planDropped } from './first-facts.ts'
import { delivered, forNextRun } from './queued-messages.ts'
import type { Stop } from './run-context.ts'

/** The run that begins when one ends. */
export interface NextRun {
  readonly runId: string
  readonly facts: readonly FactDraft[]
}

/**
 * What was written for after a run begins the next one, all of it together, with the same limits. Null: there is nothing,
 * or the run came to nothing that a next request could stand on (it failed, was stopped, or waits for outputs).
 */
export function nextRun(
  state: ConversationState,
  { end, run, signal }: { end: RunEnd; run: RunState; signal: AbortSignal },
  newId: () => string,
): NextRun | null {
  const [message, ...others] = forNextRun(state)
  if (message === undefined || !isDone(end) || isStopped(signal)) return null
  const runId = newId()
  const [started, ...begun] = firstFacts(
    message,
    run.limits,
    run.forCall && { forCall: run.forCall },
  )
  const facts = [
    ...(started ? [started] : []),
    ...others.flatMap(delivered),
    ...begun,
    ...planDropped(state, message),
  ]
  return { runId, facts: facts.map((fact) => ({ ...fact, runId })) }
}

function isDone({ outcome }: RunEnd): boolean {
  return outcome === 'completed' || outcome === 'max-steps'
}

/** Somebody stopped it, though it was done before. */
function isStopped(signal: AbortSignal): boolean {
  return signal.aborted && (signal.reason as Stop).type === 'end'
}
