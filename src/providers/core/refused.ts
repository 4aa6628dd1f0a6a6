import type { JsonObject } from '../../protocol/json.ts'
import type { FilePart } from '../../protocol/message.ts'
import { outputFiles } from '../output-text.ts'
import type { Refused } from '../provider.ts'

/** Files of the request, oldest first. */
export function filesOf({ request: { messages } }: Refused): FilePart[] {
  return messages.flatMap((message) => {
    if (message.role === 'system') return []
    if (message.role === 'tool') return message.parts.flatMap(({ output }) => outputFiles(output))
    return message.parts.flatMap((part) => (part.type === 'file' ? [part] : []))
  })
}

/** Metadata from this provider in the request's messages. */
export function metadataOf({ request, providerId }: Refused): JsonObject[] {
  return request.messages.flatMap((message) => {
    const own = message.role === 'assistant' && message.providerMetadata?.[providerId]
    return own ? [own] : []
  })
}

export function offersTools({ request }: Refused): boolean {
  return request.toolMode !== 'action' && request.tools.length > 0
}
