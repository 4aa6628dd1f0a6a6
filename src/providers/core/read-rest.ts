import type { Lifeline } from './lifeline.ts'
import { incompleteError } from './transport-error.ts'

const MAX_MS = 1_500
const MAX_BYTES = 64 * 1024

/**
 * Ends a request for good. What a body goes on with after its proven end is read before that, within
 * bounds: browsers list a request that is cancelled right before its end as a failed one, and close its
 * connection. Not to be waited for; never rejects.
 */
export async function readRest(
  body: ReadableStreamDefaultReader<Uint8Array> | undefined,
  lifeline: Lifeline,
): Promise<void> {
  const end = (): void => lifeline.fail(incompleteError())
  const timer = setTimeout(end, MAX_MS)
  try {
    for (let bytes = 0; body && bytes <= MAX_BYTES;) {
      const piece = await lifeline.guard(body.read())
      if (!piece || piece.done) break
      bytes += piece.value.length
    }
  } catch {
    // A connection that breaks after the proof is no matter.
  }
  clearTimeout(timer)
  lifeline.release()
  end()
}
