import type { ConversationSnapshot, ShownMessage } from '../index.ts'
import { dataParts, partsOf, userParts } from './parts-of.ts'
import type { OffstageUIMessage, UIMetadata } from './ui-message.ts'

/**
 * Converts a conversation to AI SDK messages, for `messages` of `useChat` after a reload. All steps of an answer form
 * one message, with the id of the first.
 */
export function toUIMessages(snapshot: ConversationSnapshot): OffstageUIMessage[] {
  const shown = groups(snapshot.messages).flatMap((group) => shownGroup(group, snapshot))
  const last = shown.at(-1)
  if (last?.role === 'assistant') {
    const metadata = metadataOf(snapshot)
    last.parts.push(...dataParts(snapshot))
    if (Object.keys(metadata).length > 0) last.metadata = metadata
  }
  return shown
}

/** Usage and outcome of the last answer's run, if known. */
export function metadataOf({ spent, ended }: ConversationSnapshot): UIMetadata {
  return {
    ...(spent && { usage: spent.total }),
    ...(ended && { outcome: ended.outcome }),
  }
}

/** Groups messages: each user message alone, consecutive answers and tool results together. */
function groups(messages: readonly ShownMessage[]): ShownMessage[][] {
  const found: ShownMessage[][] = []
  for (const message of messages) {
    const last = found.at(-1)
    const isAnswer = message.role === 'assistant' || message.role === 'tool'
    if (isAnswer && last && last[0]?.role === 'assistant') last.push(message)
    else found.push([message])
  }
  return found
}

function shownGroup(
  group: readonly ShownMessage[],
  { run }: ConversationSnapshot,
): OffstageUIMessage[] {
  const [first] = group
  if (!first) return []
  const { id, role } = first
  switch (role) {
    case 'user':
      return [{ id, role, parts: userParts(first.parts) }]
    case 'system':
      return [{ id, role, parts: first.parts.map(({ text }) => ({ type: 'text', text })) }]
    case 'assistant':
      return [{ id, role, parts: partsOf(group, run?.messageId) as OffstageUIMessage['parts'] }]
    case 'tool':
      return []
    default:
      return first satisfies never
  }
}
