import type { ShownMessage, UserContent } from '../../index.ts'

/** The texts of a message, as they would be copied. */
export function textOf({ parts }: ShownMessage): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
}

/** The same of what a person wrote, before it is a message. */
export function textOfContent({ parts }: UserContent): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
}
