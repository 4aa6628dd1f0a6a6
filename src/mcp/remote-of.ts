import type { RemoteSource } from '../protocol/tool.ts'
import type { McpLine } from './line.ts'

/** Source of a server's tools. */
export function remoteOf(
  { source, endpoint }: Pick<McpLine, 'source' | 'endpoint'>,
  trusted: boolean,
): RemoteSource {
  return {
    source,
    ...(endpoint !== undefined && { endpoint }),
    ...(trusted && { trusted }),
  }
}
