import type { ErrorData } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { asObjects, asText } from '../core/read-json.ts'
import type { ModelRequest } from '../provider.ts'

const MAX_REMEMBERED = 10_000

/** Which signed thinking an endpoint has refused, so that it is left out from then on. */
export interface RefusedThinking {
  has(block: JsonObject): boolean
  /** Whether the error is about signatures, and the request held some that were not refused before. */
  learn(request: ModelRequest, error: ErrorData): boolean
}

/**
 * Signatures are bound to a model and a context: after a switch an endpoint may answer "Invalid
 * `signature` in `thinking` block". What it refused is remembered by the signature itself.
 */
export function createRefusedThinking(providerId: string): RefusedThinking {
  const refused = new Set<string>()
  return {
    has: (block) => refused.has(signatureOf(block) ?? ''),
    learn(request, error) {
      if (error.code !== 'bad-request' || !/signature|thinking/i.test(error.message)) return false
      const news = request.messages
        .flatMap((message) => (message.role === 'assistant' ? [message.providerMetadata] : []))
        .flatMap((metadata) => asObjects(metadata?.[providerId]?.['content']))
        .flatMap((block) => signatureOf(block) ?? [])
        .filter((signature) => !refused.has(signature))
      if (refused.size + news.length > MAX_REMEMBERED) refused.clear()
      for (const signature of news) refused.add(signature)
      return news.length > 0
    },
  }
}

/** What identifies a thinking block: its signature, or the data of a redacted one. */
function signatureOf(block: JsonObject): string | undefined {
  switch (block['type']) {
    case 'thinking':
      return asText(block['signature']) ?? asText(block['thinking'])
    case 'redacted_thinking':
      return asText(block['data'])
    default:
      return undefined
  }
}
