import type { Message, TextPart } from '../protocol/message.ts'
import type { MessageNode } from '../protocol/state.ts'

/** Whether a person or the host wrote the message, rather than the loop. */
export function isRequest({ message }: MessageNode): boolean {
  return message.role === 'user' && !message.synthetic
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
