import { cleanText } from '../clean-text.ts'

/** What a field's own constraints have against its value; null for nothing. */
export function validationMessageOf(element: Element): string | null {
  const { validity, validationMessage = '', title } = element as Partial<HTMLInputElement>
  if (validity?.valid !== false) return null
  // Browsers show the title beside their words about a pattern.
  const hint = validity.patternMismatch && title ? ` (${cleanText(title)})` : ''
  return cleanText(validationMessage) + hint
}
