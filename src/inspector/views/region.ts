import { html, type TemplateResult } from 'lit'

/** A region that scrolls separately and can be focused. */
export function regionView(label: string, content: unknown): TemplateResult {
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}>${content}</div>`
}
