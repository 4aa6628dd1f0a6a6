import type { Message } from '../protocol/message.ts'
import type { MessageNode } from '../protocol/state.ts'

/** What a person, or the host, wrote: not what the loop says to the model. */
export function isRequest({ message }: MessageNode): boolean {
  return message.role === 'user' && !message.synthetic
}

/** The text of a message, as one. */
export function messageWords({ parts }: Pick<Message, 'parts'>): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? part.text : []))
    .join('\n')
    .trim()
}
