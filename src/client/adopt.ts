import type { RunRef } from '../protocol/scope.ts'
import { storageKey } from '../protocol/conversation.ts'
import type { AgentParts } from './agent-parts.ts'
import type { RunHandle } from './run-handle.ts'

/**
 * Returns the handle of the run that the worker resumes. Events travel on another port than the answer, so they are
 * expected before the request: the handle gets all of them.
 */
export async function adopt(
  { link, runs, scope, signal }: AgentParts,
  ask: () => Promise<RunRef | null>,
): Promise<RunHandle | null> {
  const expected = link().feeds.expect(storageKey(scope().storage))
  try {
    const ref = await ask()
    if (!ref || signal.aborted) return null
    const known = runs.open.get(ref.runId)
    if (known) return known
    const handle = runs.handleOf(ref)
    expected.claim(ref, handle)
    return handle
  } finally {
    expected.close()
  }
}
