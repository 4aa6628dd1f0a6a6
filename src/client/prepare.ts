import { modelOfPage } from './page-engine.ts'
import type { AgentParts } from './agent-parts.ts'
import { untilAborted } from './until-aborted.ts'

/** Starts the worker and loads an engine's model. Rejects with `aborted` as soon as the signal aborts. */
export function prepare(
  { ask, config, options, scope }: AgentParts,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  return untilAborted(
    () => ask('prepare', { ...scope(), ...modelOfPage(config.model, options.engines) }),
    signal,
    () => void ask('stopPreparing', { agentId: scope().agentId }).catch(() => {}),
  )
}
