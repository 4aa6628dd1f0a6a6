import type { Message, TextPart } from '../protocol/message.ts'
import type { ContextRow, ConversationState, MessageNode } from '../protocol/state.ts'
import { contextOn } from './context.ts'

/** Whether the user message came from outside, rather than from Offstage's loop. */
export function isRequest({ message }: MessageNode): boolean {
  return message.role === 'user' && !message.synthetic
}

/** The memories retrieved for the newest request. Undefined before the retrieval. */
export function retrievedMemories(
  state: ConversationState,
): Extract<ContextRow, { readonly type: 'memory-retrieved' }> | undefined {
  const newest = contextOn(state).findLast((row) => row.type === 'memory-retrieved')
  const from = Math.max(0, state.path.findLastIndex(isRequest))
  return newest && state.path.slice(from).some(({ id }) => id === newest.after) ? newest : undefined
}

/** Text parts of a message, joined by line breaks. */
export function messageWords({ parts }: Pick<Message, 'parts'>): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? part.text : []))
    .join('\n')
    .trim()
}

/** The message as it is sent to models. */
export function sentMessage({ message, sent }: Pick<MessageNode, 'message' | 'sent'>): Message {
  if (!sent || message.role !== 'user') return message
  const { appended, rewritten } = sent
  const ownParts =
    rewritten === undefined
      ? message.parts
      : [textPart(rewritten), ...message.parts.filter(({ type }) => type === 'file')]
  return {
    ...message,
    parts: [...ownParts, ...(appended === undefined ? [] : [textPart(appended)])],
  }
}

function textPart(text: string): TextPart {
  return { type: 'text', text }
}
