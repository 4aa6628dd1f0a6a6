import type { StreamPart } from '../../protocol/stream-part.ts'

/** The parts of all batches, one by one. */
export async function* flatten(
  batches: AsyncIterable<readonly StreamPart[]>,
): AsyncGenerator<StreamPart> {
  for await (const batch of batches) {
    // Not `yield*`: that wraps each array in an iterator of promises.
    for (const part of batch) yield part
  }
}
