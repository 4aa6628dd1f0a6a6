import { html, nothing, type TemplateResult } from 'lit'
import type { ErrorData } from '../../../index.ts'
import type { Words } from '../words/words.ts'

/** A part of a view, or nothing. */
export type Maybe = TemplateResult | typeof nothing

/** Shows why something failed, if it did. */
export function problemLine(text: string | undefined): Maybe {
  return text ? html`<p class="problem" role="alert">${text}</p>` : nothing
}

/** Returns what a person reads about an error. */
export function errorText(thrown: unknown, words?: Words): string {
  const { code, message = String(thrown) } = Object(thrown) as Partial<ErrorData>
  if (code === 'disposed' && words) return words.disposed
  return (code === 'conversation-busy' && words?.failures[code]) || message
}
