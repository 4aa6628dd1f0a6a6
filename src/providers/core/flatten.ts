import type { StreamPart } from '../../protocol/stream-part.ts'

/** The parts of all batches, one by one. */
export async function* flatten(
  batches: AsyncIterable<readonly StreamPart[]>,
): AsyncGenerator<StreamPart> {
  for await (const batch of batches) yield* batch
}
