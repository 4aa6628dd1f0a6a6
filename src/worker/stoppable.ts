import type { PageApi } from '../protocol/api.ts'
import { OffstageError } from '../protocol/error.ts'

/** Rejects with `aborted` when the signal aborts; for one promise or many, without leaking. */
function rejection(signal: AbortSignal): Promise<never> {
  const rejected = new Promise<never>((_resolve, reject) => {
    const fail = (): void => reject(new OffstageError('aborted', 'The run was stopped.'))
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
  rejected.catch(() => undefined)
  return rejected
}

/** The items until the signal aborts, though the source may ignore it. */
export async function* untilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const stopped = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null)
    else signal.addEventListener('abort', () => resolve(null), { once: true })
  })
  const iterator = source[Symbol.asyncIterator]()
  for (;;) {
    const next = await Promise.race([iterator.next(), stopped])
    if (next === null) {
      // Its clean-up isn't waited for: a source that hangs may never come to it.
      void Promise.resolve(iterator.return?.()).catch(() => undefined)
      return
    }
    if (next.done) return
    yield next.value
  }
}

/**
 * The page, with those calls that run functions of the embedding app made stoppable: a hook that
 * never returns must not keep a run from being stopped.
 */
export function stoppablePage(page: PageApi, signal: AbortSignal): PageApi {
  const stopped = rejection(signal)
  return {
    stepContext: (call) => Promise.race([page.stepContext(call), stopped]),
    credentials: (request) => Promise.race([page.credentials(request), stopped]),
    beforeToolCall: (call) => Promise.race([page.beforeToolCall(call), stopped]),
    needsApproval: (call) => Promise.race([page.needsApproval(call), stopped]),
    reconcileTool: (call) => Promise.race([page.reconcileTool(call), stopped]),
    currentTools: (agentId) => Promise.race([page.currentTools(agentId), stopped]),
    knownExecutions: (ids) => Promise.race([page.knownExecutions(ids), stopped]),
    // Has its own way to end: a stopped call's last word still counts.
    executeTool: (call) => page.executeTool(call),
    cancelTools: (request) => page.cancelTools(request),
    acknowledgeTools: (ids) => page.acknowledgeTools(ids),
  }
}
