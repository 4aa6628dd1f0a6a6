import type { Message } from '../protocol/message.ts'
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
