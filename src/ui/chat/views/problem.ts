import { html, nothing, type TemplateResult } from 'lit'

/** A part of a view, or nothing. */
export type Maybe = TemplateResult | typeof nothing

/** Shows why something failed, if it did. */
export function problemLine(text: string | undefined): Maybe {
  return text ? html`<p class="problem" role="alert">${text}</p>` : nothing
}

/** Returns what a person reads about an error. */
export function errorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
