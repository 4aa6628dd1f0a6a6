import type { RunParts } from './run-parts.ts'

/** Has the worker end a run whose abort is on record, or the next one. True when it has ended so. */
export function sendAbort(agent: RunParts, runId: string): Promise<boolean> {
  const { aborting, aborts } = agent.runs
  const abort = aborts.get(runId)
  const known = aborting.get(runId)
  if (known || !abort) return known ?? Promise.resolve(false)
  agent.stopTools(runId, abort.reason)
  const sent = agent.ask('abortRun', { ...agent.scope(), ...abort, runId }).finally(() => {
    aborts.delete(runId)
    aborting.delete(runId)
  })
  aborting.set(runId, sent)
  return sent
}
