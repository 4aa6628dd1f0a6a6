import { html, type TemplateResult } from 'lit'

/** A part that scrolls by itself. */
export function regionView(label: string, content: unknown): TemplateResult {
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}>${content}</div>`
}
