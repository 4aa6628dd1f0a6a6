import { callParts } from '../conversation/propose-call.ts'
import type { Identified } from '../protocol/fact.ts'
import type { Message, ToolMessage, ToolResultPart } from '../protocol/message.ts'

type NewId = (prefix: string) => string

/**
 * Imported messages as they are stored: each with an id of its own, and the results of an assistant's
 * calls in one message right behind it, in the order of the calls; calls may wait for theirs.
 */
export function placeHistory(
  messages: readonly Message[],
  newId: NewId,
): readonly Identified<Message>[] {
  const results = resultsOf(messages)
  const used = new Set<string>()
  const idOf = ({ id }: Message): string => {
    const own = id !== undefined && id !== '' && !used.has(id) ? id : newId('msg_')
    used.add(own)
    return own
  }
  return messages.flatMap((message, index): Identified<Message>[] => {
    if (message.role === 'tool') return []
    const placed = { ...message, id: idOf(message) }
    if (placed.role !== 'assistant') return [placed]
    const calls = callParts(placed)
    if (calls.length === 0) return [placed]
    const next = messages[index + 1]
    const tools: Identified<ToolMessage> = {
      role: 'tool',
      id: next?.role === 'tool' ? idOf(next) : newId('msg_'),
      parts: calls.flatMap(({ toolCallId }) => results.get(toolCallId) ?? []),
    }
    return [placed, tools]
  })
}

function resultsOf(messages: readonly Message[]): ReadonlyMap<string, ToolResultPart> {
  return new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? message.parts.map((part) => [part.toolCallId, part] as const) : [],
    ),
  )
}
