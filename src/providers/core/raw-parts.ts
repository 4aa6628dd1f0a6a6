import type { StreamPart } from '../../protocol/stream-part.ts'
import type { ModelRequest } from '../provider.ts'

/** The parts that a piece of a provider's data was read as, and the piece before them if it is wanted. */
export function withRaw(
  { raw }: Pick<ModelRequest, 'raw'>,
  data: unknown,
  parts: readonly StreamPart[],
): readonly StreamPart[] {
  if (!raw) return parts
  // A `raw` part for what could not be read would repeat the piece.
  return [{ type: 'raw', data }, ...parts.filter((part) => part.type !== 'raw')]
}
