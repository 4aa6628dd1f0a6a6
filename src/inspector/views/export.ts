import { html, type TemplateResult } from 'lit'
import type { InspectorContext } from '../context.ts'

/** Asks what is to be saved, and says what will be in it. */
export function exportView({ recording, chosen, choose, save }: InspectorContext): TemplateResult {
  const runs = recording?.journal.runIds() ?? []
  return html`<div class="export" role="group" aria-label="Export">
    <p>
      <strong>The file can be read by whoever gets it.</strong> It has all rows up to the end of the
      run: what was written and answered, inputs and outputs of tools, files, and the conversations
      that calls of it began, as they are stored (what <code>redact</code> or masks took out is not
      in it), and which browser this is. It has no keys and no headers.
    </p>
    <div class="buttons">
      <select
        aria-label="What to export"
        @change=${(event: Event) => choose({ exporting: (event.target as HTMLSelectElement).value })}
      >
        ${runs.map(
          (runId, at) =>
            html`<option value=${runId} ?selected=${runId === chosen.exporting}>
              Up to run ${at + 1}
            </option>`,
        )}
        <option value="" ?selected=${chosen.exporting === ''}>The whole conversation</option>
      </select>
      <button type="button" class="primary" @click=${save}>Save file</button>
      <button type="button" @click=${() => choose({ exporting: null })}>Cancel</button>
    </div>
  </div>`
}
