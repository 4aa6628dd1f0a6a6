import { describeThrown, OffstageError } from '../protocol/error.ts'
import { lentModel } from './lent-engine.ts'
import type { AgentParts } from './linked-agent.ts'

/** Starts the worker and loads an engine's model. Rejects with `aborted` as soon as the signal aborts. */
export async function prepare(
  { ask, config, options, scope }: AgentParts,
  signal?: AbortSignal,
): Promise<void> {
  if (signal?.aborted) throw aborted(signal)
  const prepared = ask('prepare', { ...scope(), ...lentModel(config.model, options.engines) })
  if (!signal) return prepared
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      reject(aborted(signal))
      ask('stopPreparing', scope().agentId).catch(() => {})
    }
    signal.addEventListener('abort', stop, { once: true })
    void prepared.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

function aborted(signal: AbortSignal): OffstageError {
  return new OffstageError('aborted', `prepare(): ${describeThrown(signal.reason)}`)
}
