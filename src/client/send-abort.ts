import type { OffstageError } from '../protocol/error.ts'
import type { RunParts } from './run-parts.ts'

/** Has the worker end a run whose abort is on record. */
export async function sendAbort(agent: RunParts, runId: string): Promise<void> {
  const { aborting, aborts } = agent.runs
  const abort = aborts.get(runId)
  if (!abort) return
  agent.stopTools(runId, abort.reason)
  const { conversationId } = abort
  const sent = agent.ask('abortRun', { ...agent.scope(), ...abort, runId }).then(
    () => aborts.delete(runId),
    (error: OffstageError) => error.code === 'worker-lost' || aborts.delete(runId),
  )
  aborting.set(conversationId, sent)
  await sent
  if (aborting.get(conversationId) === sent) aborting.delete(conversationId)
}
