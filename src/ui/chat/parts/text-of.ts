import type { ShownMessage, UserContent } from '../../../index.ts'

type Content = ShownMessage | UserContent

/** Returns the parts of a message that people see. A trigger's last part is only for the model: it names the sender. */
export function shownParts(content: Content): ShownMessage['parts'] {
  return 'trigger' in content ? content.parts.slice(0, -1) : content.parts
}

/** Returns a message's visible text, as the copy button copies it. */
export function messageText(content: Content): string {
  return shownParts(content)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n\n')
}
