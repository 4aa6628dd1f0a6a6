import type { StreamPart } from '../../protocol/message.ts'
import type { ModelRequest } from '../provider.ts'

/** The parts read from one chunk of a provider's data. If `raw` is set, the chunk itself comes first. */
export function withRaw(
  { raw }: Pick<ModelRequest, 'raw'>,
  data: unknown,
  parts: readonly StreamPart[],
): readonly StreamPart[] {
  if (!raw) return parts
  // A `raw` part for unreadable data would repeat the chunk.
  return [{ type: 'raw', data }, ...parts.filter((part) => part.type !== 'raw')]
}
