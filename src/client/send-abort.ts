import type { RunParts } from './run-parts.ts'

/** Has the current or the next worker end a run with a recorded abort. True if the run ended this way. */
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
