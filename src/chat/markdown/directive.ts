import { html, type TemplateResult } from 'lit'
import type { MarkdownOptions } from '../context.ts'
import type { Words } from '../words/words.ts'

/** A model's text, as Markdown. */
export function markdown(text: string, _options: MarkdownOptions, _words: Words): TemplateResult {
  return html`<p class="plain">${text}</p>`
}
