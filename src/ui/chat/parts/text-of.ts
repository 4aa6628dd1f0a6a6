import type { ShownMessage, UserContent } from '../../../index.ts'

type Content = ShownMessage | UserContent

/**
 * Returns the parts of a message that people see. Omits the last part of a trigger's message, which tells the model who
 * sent it.
 */
export function shownParts(content: Content): ShownMessage['parts'] {
  return 'trigger' in content ? content.parts.slice(0, -1) : content.parts
}

/** Returns a message's visible text, for example to copy it. */
export function messageText(content: Content): string {
  return shownParts(content)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n\n')
}
