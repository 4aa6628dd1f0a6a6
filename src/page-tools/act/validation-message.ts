import { cleanText, quote, shorten } from '../clean-text.ts'

const LIMIT = 200

/** The browser's validation message for the field's value, in quotes; null when the value is valid. */
export function validationMessageOf(element: Element): string | null {
  const { validity, validationMessage = '', title } = element as Partial<HTMLInputElement>
  if (validity?.valid !== false) return null
  // Browsers show the title with their message about a pattern.
  const hint = validity.patternMismatch && title ? ` (${cleanText(title)})` : ''
  return quote(shorten(cleanText(validationMessage) + hint, LIMIT))
}
