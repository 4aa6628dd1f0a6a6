import type { PageApi } from '../protocol/api.ts'
import { OffstageError } from '../protocol/error.ts'

const aborts = new WeakMap<AbortSignal, Promise<void>>()

/** Resolves when the signal aborts. One listener for each signal, however often it is asked. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  const known = aborts.get(signal)
  if (known) return known
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  aborts.set(signal, aborted)
  return aborted
}

/** The items until the signal aborts, though the source may ignore it. */
export async function* untilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const stopped = whenAborted(signal).then(() => null)
  const iterator = source[Symbol.asyncIterator]()
  let done = false
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), stopped])
      if (next === null) return
      if (next.done) {
        done = true
        return
      }
      yield next.value
    }
  } finally {
    // Its clean-up isn't waited for: a source that hangs may never come to it.
    if (!done) void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}

/**
 * The page, with those calls that run functions of the embedding app made stoppable: a hook that
 * never returns must not keep a run from being stopped. They reject with `aborted` then.
 */
export function stoppablePage(page: PageApi, signal: AbortSignal): PageApi {
  const stoppable = <T>(answer: Promise<T>): Promise<T> =>
    Promise.race([
      answer,
      whenAborted(signal).then(() => {
        throw new OffstageError('aborted', 'The run was stopped.')
      }),
    ])
  return {
    stepContext: (call) => stoppable(page.stepContext(call)),
    credentials: (request) => stoppable(page.credentials(request)),
    fetchModel: (request) => stoppable(page.fetchModel(request)),
    beforeToolCall: (call) => stoppable(page.beforeToolCall(call)),
    needsApproval: (call) => stoppable(page.needsApproval(call)),
    reconcileTool: (call) => stoppable(page.reconcileTool(call)),
    currentTools: (agentId) => stoppable(page.currentTools(agentId)),
    knownExecutions: (ids) => stoppable(page.knownExecutions(ids)),
    openEngine: (opening) => page.openEngine(opening),
    // Has its own way to end: a stopped call's last word still counts.
    executeTool: (call) => page.executeTool(call),
    cancelTools: (request) => page.cancelTools(request),
    acknowledgeTools: (ids) => page.acknowledgeTools(ids),
  }
}
