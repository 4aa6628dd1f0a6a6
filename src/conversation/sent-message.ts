import type { Message, TextPart } from '../protocol/message.ts'
import type { MessageNode } from '../protocol/state.ts'

/** The message as it is sent to models. */
export function sentMessage({ message, sent }: Pick<MessageNode, 'message' | 'sent'>): Message {
  if (!sent || message.role !== 'user') return message
  const { appended, rewritten } = sent
  const own =
    rewritten === undefined
      ? message.parts
      : [textPart(rewritten), ...message.parts.filter(({ type }) => type === 'file')]
  return { ...message, parts: [...own, ...(appended === undefined ? [] : [textPart(appended)])] }
}

function textPart(text: string): TextPart {
  return { type: 'text', text }
}
