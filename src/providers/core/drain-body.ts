import type { AbortScope } from './abort-scope.ts'
import { incompleteError } from './transport-error.ts'

const MAX_MS = 1_500
const MAX_BYTES = 64 * 1024

/**
 * Ends a request. What follows the proven end of a body is read before that, within bounds: browsers list a
 * request that is cancelled right before its end as a failed one, and close its connection. Need not be
 * awaited; never rejects.
 */
export async function drainBody(
  body: ReadableStreamDefaultReader<Uint8Array> | undefined,
  abortScope: AbortScope,
): Promise<void> {
  const end = (): void => abortScope.fail(incompleteError())
  const timer = setTimeout(end, MAX_MS)
  try {
    for (let bytes = 0; body && bytes <= MAX_BYTES;) {
      const piece = await abortScope.guard(body.read())
      if (!piece || piece.done) break
      bytes += piece.value.length
    }
  } catch {
    // A connection that breaks after the proof does no harm.
  }
  clearTimeout(timer)
  abortScope.release()
  end()
}
