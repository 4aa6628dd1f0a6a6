import type { Message, UserMessage } from '../protocol/message.ts'
import type { ModelRequest } from '../providers/provider.ts'

/**
 * Returns the request with at most one system message, at its start, because many engines refuse more. Leading system
 * messages join the instructions. Later system messages become user messages.
 */
export function withSingleSystemMessage(request: ModelRequest): ModelRequest {
  const { messages } = request
  const first = messages.findIndex(({ role }) => role !== 'system')
  const leading = first === -1 ? messages : messages.slice(0, first)
  const instructions = [request.instructions ?? '', ...leading.map(textOf)]
    .filter((text) => text !== '')
    .join('\n\n')
  return {
    ...request,
    messages: messages.slice(leading.length).map(asUser),
    ...(instructions !== '' && { instructions }),
  }
}

function textOf({ parts }: Message): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

function asUser(message: Message): Message {
  if (message.role !== 'system') return message
  const user: UserMessage = { role: 'user', parts: message.parts, synthetic: true }
  return user
}
