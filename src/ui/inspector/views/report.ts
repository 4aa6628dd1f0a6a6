import { html, nothing, type TemplateResult } from 'lit'
import type { Agent } from '../../../index.ts'
import { datedName, downloadFile } from '../../shared/download-file.ts'
import { ReportFile, type ToolOutputs } from '../../shared/report-file.ts'
import type { Recording } from '../recording.ts'
import { toVisibleText } from './format.ts'

/** Returns a Vitest test that replays a file. */
export function testOf(fileName: string, title: string): string {
  return `import { readFile } from 'node:fs/promises'
import { onTestFinished, test } from 'vitest'
import { createTestAgent } from 'offstage/testing'
import { tools } from '../src/tools' // The tools of your app.

test(${quoted(title.slice(0, 80) || 'a recording')}, async () => {
  const recording = await readFile(new URL(${quoted(`./${fileName}`)}, import.meta.url), 'utf8')
  // Add the options of your agent that matter here, such as controlTools and hooks.
  const agent = createTestAgent({ recording, tools })
  onTestFinished(() => agent.dispose())
  await agent.replay()
})
`
}

/** Returns a text as a literal in single quotes. */
function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** Actions of the inspector that the sheet needs. */
interface SheetHost {
  readonly agent: Agent
  readonly recording: Recording
  changed(): void
  /** Closes the sheet and shows a text. */
  close(notice: string): void
  copy(text: string, what: string): void
}

/** The sheet "What will be shared": a person chooses what a report holds, and saves it. */
export class ReportSheet {
  readonly #host: SheetHost
  readonly #leftOut = new Set<string>()
  #file: ReportFile | null = null
  /** The last run in the file; null: the whole conversation. */
  #runId: string | null

  constructor(host: SheetHost) {
    this.#host = host
    this.#runId = host.recording.journal.runIds().at(-1) ?? null
    void this.#readReport()
  }

  view(): TemplateResult {
    const file = this.#file
    return html`<div class="export" role="group" aria-label="Report">
      <h3>What will be shared</h3>
      <p>
        <strong>Whoever gets the file can read it.</strong> Keys, headers and what
        <code>redact</code> or masks removed are not in it.
      </p>
      ${file ? this.#contentView(file) : html`<p class="quiet">Reading…</p>`}
      <div class="buttons">
        ${this.#rangeView()}
        <button type="button" class="primary" ?disabled=${!file} @click=${() => this.#save()}>
          Save file
        </button>
        <button type="button" ?disabled=${!file} @click=${() => this.#copyTest()}>
          Copy as test
        </button>
        <button type="button" @click=${() => this.#host.close('')}>Cancel</button>
      </div>
    </div>`
  }

  #contentView({ messages, calls, files, tools }: ReportFile): TemplateResult {
    return html`<ul>
        <li>
          ${countOf(messages, 'message')}${files > 0 ? ` and ${countOf(files, 'file')}` : nothing}
        </li>
        <li>Inputs of ${countOf(calls, 'call')}, with approvals</li>
        <li>The name of this browser</li>
      </ul>
      ${
        tools.length === 0
          ? nothing
          : html`<fieldset>
              <legend>Outputs of tools</legend>
              ${tools.map((tool) => this.#toolView(tool))}
            </fieldset>`
      }
      ${
        this.#leftOut.size > 0
          ? html`<p class="quiet">Answers of the model may still quote them.</p>`
          : nothing
      }`
  }

  #toolView({ toolName, count, size }: ToolOutputs): TemplateResult {
    return html`<label
      ><input
        type="checkbox"
        .checked=${!this.#leftOut.has(toolName)}
        @change=${(event: Event) => this.#choose(toolName, (event.target as HTMLInputElement).checked)}
      /><code>${toVisibleText(toolName)}</code
      ><span class="quiet">${countOf(count, 'output')}, ${sizeText(size)}</span></label
    >`
  }

  #rangeView(): TemplateResult {
    const runs = this.#host.recording.journal.runIds()
    const choose = (event: Event): void => {
      this.#runId = (event.target as HTMLSelectElement).value || null
      void this.#readReport()
    }
    return html`<select aria-label="What to share" @change=${choose}>
      ${runs.map(
        (runId, at) =>
          html`<option value=${runId} ?selected=${runId === this.#runId}>
            Up to run ${at + 1}
          </option>`,
      )}
      <option value="" ?selected=${this.#runId === null}>The whole conversation</option>
    </select>`
  }

  #choose(toolName: string, isShared: boolean): void {
    if (isShared) this.#leftOut.delete(toolName)
    else this.#leftOut.add(toolName)
    this.#host.changed()
  }

  async #readReport(): Promise<void> {
    const { agent, recording, changed, close } = this.#host
    const { journal } = recording
    const runId = this.#runId
    this.#file = null
    changed()
    const through = runId === null ? journal.rows.length : (journal.spanOf(runId)?.to ?? 0)
    try {
      const stream = await agent.conversations.export(journal.conversationId, { through })
      const file = new ReportFile(await new Response(stream).text())
      // Drops the file if another range was chosen meanwhile.
      if (runId === this.#runId) this.#file = file
      changed()
    } catch (error) {
      close((error as Error).message)
    }
  }

  #save(): void {
    const { recording, close } = this.#host
    const inspection = {
      runId: this.#runId,
      exportedAt: new Date().toISOString(),
      browser: navigator.userAgent,
      firstTokens: recording.timeline.firstTokens(),
    }
    const text = this.#file?.textWith(inspection, this.#leftOut) ?? ''
    void downloadFile(new Blob([text]).stream(), this.#name()).then(
      () => close('The file is saved.'),
      (error: Error) => close(error.message),
    )
  }

  #copyTest(): void {
    const { recording, copy } = this.#host
    copy(testOf(datedName(this.#name()), recording.journal.stateAt(Infinity).title ?? ''), 'Test')
  }

  #name(): string {
    return this.#runId === null ? 'conversation' : 'run'
  }
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function sizeText(characters: number): string {
  return characters < 1000 ? `${characters} B` : `${(characters / 1000).toFixed(1)} kB`
}
