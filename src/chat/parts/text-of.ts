import type { ShownMessage, UserContent } from '../../index.ts'

type Content = ShownMessage | UserContent

/** The parts of a message that people see. The last part of a trigger's message tells the model who sent it. */
export function shownParts(content: Content): ShownMessage['parts'] {
  return 'trigger' in content ? content.parts.slice(0, -1) : content.parts
}

/** The texts of a message, as they would be copied. */
export function textOf(content: Content): string {
  return shownParts(content)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n\n')
}
