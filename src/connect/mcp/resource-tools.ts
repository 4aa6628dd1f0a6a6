import type { Tool } from '../../client/tools/tool.ts'
import { isRecord } from '../../lib/shape.ts'
import { type McpConnection, remoteOf } from './connection.ts'
import type { McpOptions } from './options.ts'
import type { McpResources } from './offers.ts'
import { cleanPrefix, modelName } from './make-tool.ts'

/** Tools that let a model list and read a server's resources. Empty when the server has none. */
export function resourceTools(
  connection: McpConnection,
  resources: McpResources,
  {
    prefix: configuredPrefix,
    trusted = false,
    timeoutMs,
  }: Pick<McpOptions, 'prefix' | 'trusted' | 'timeoutMs'>,
): readonly Tool[] {
  if (!isRecord(connection.info.capabilities.resources)) return []
  const prefix = cleanPrefix(configuredPrefix, connection.info.name)
  const { source } = connection
  const base = {
    annotations: {
      ...(trusted ? { readOnly: true } : { openWorld: true }),
      untrustedContent: true,
    },
    remote: remoteOf(connection, trusted),
    ...(timeoutMs !== undefined && { timeoutMs }),
  }
  const list: Tool = {
    ...base,
    name: modelName(prefix, 'list_resources') ?? '',
    description: `Lists the resources of ${source}: files, records and the like, by their addresses.`,
    async execute(_input, { signal }) {
      const [listed, templates] = await Promise.all([
        resources.list({ signal }),
        resources.templates({ signal }).catch(() => []),
      ])
      return { resources: listed, ...(templates.length > 0 && { templates }) }
    },
  }
  const read: Tool<string, { readonly uri: string }> = {
    ...base,
    name: modelName(prefix, 'read_resource') ?? '',
    description: `Reads a resource of ${source} by its address.`,
    inputSchema: {
      type: 'object',
      properties: { uri: { type: 'string' } },
      required: ['uri'],
      additionalProperties: false,
    },
    async execute({ uri }, { signal }) {
      const parts = await resources.read(uri, { signal })
      return parts.every((part) => typeof part === 'string') ? parts.join('\n\n') : parts
    },
  }
  return [list, read as Tool]
}
