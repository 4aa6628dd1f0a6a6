import type { Message, StreamPart } from '../../protocol/message.ts'
import type { ModelConfigData } from '../../protocol/model.ts'
import type { HttpProviderDefinition, ModelRequest } from '../provider.ts'
import { asText } from './read-json.ts'

type Definition = HttpProviderDefinition<unknown>

/** The address of requests, without a trailing slash. */
export function addressOf(definition: Definition, config: ModelConfigData): string | undefined {
  return definition.baseURL?.(config).replace(/\/+$/, '') ?? config.baseURL
}

/** The configured address. Undefined if it is the provider's own. */
function originOf(definition: Definition, config: ModelConfigData): string | undefined {
  const address = config.baseURL && addressOf(definition, config)
  if (!address) return undefined
  const { baseURL: _, ...plain } = config
  try {
    const { origin } = new URL(address)
    return origin === new URL(definition.baseURL?.(plain) ?? '').origin ? undefined : origin
  } catch {
    return new URL(address).origin
  }
}

/** Adds the origin of the metadata to an answer's end. */
export function withOrigin(
  part: Extract<StreamPart, { readonly type: 'finish' }>,
  definition: Definition,
  config: ModelConfigData,
): StreamPart {
  const own = part.providerMetadata?.[definition.id]
  const origin = own && originOf(definition, config)
  return origin === undefined
    ? part
    : {
        ...part,
        providerMetadata: { ...part.providerMetadata, [definition.id]: { ...own, origin } },
      }
}

/** The request without other endpoints' metadata: reasoning and signatures go only to the endpoint that wrote them. */
export function ownMetadata(
  request: ModelRequest,
  definition: Definition,
  config: ModelConfigData,
): ModelRequest {
  const { id } = definition
  const isMarked = (message: Message): boolean =>
    message.role === 'assistant' && message.providerMetadata?.[id]?.['origin'] !== undefined
  const here = originOf(definition, config)
  if (here === undefined && !request.messages.some(isMarked)) return request
  return {
    ...request,
    messages: request.messages.map((message) => {
      if (message.role !== 'assistant' || !message.providerMetadata?.[id]) return message
      const { providerMetadata, ...rest } = message
      const { origin, ...own } = providerMetadata[id] ?? {}
      const isHere = origin === undefined || asText(origin) === here
      return isHere ? { ...rest, providerMetadata: { ...providerMetadata, [id]: own } } : rest
    }),
  }
}
