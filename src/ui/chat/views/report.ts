import { css, html, nothing, render, type TemplateResult } from 'lit'
import { visibleText } from '../../../conversation/index.ts'
import { downloadFile } from '../../shared/download-file.ts'
import { ReportFile } from '../../shared/report-file.ts'
import type { ChatContext } from '../context.ts'
import { numberFormat } from '../formats.ts'
import { iconButton } from './icon.ts'
import { errorText, problemLine } from './problem.ts'
import { openSheet } from './sheet-dialog.ts'

interface ReportWords {
  readonly button: string
  readonly title: string
  readonly warning: string
  readonly messages: (messages: string, files: string) => string
  readonly calls: (calls: string) => string
  readonly browser: string
  readonly outputs: string
  readonly quoted: string
  readonly save: string
}

const EN: ReportWords = {
  button: 'Report a problem…',
  title: 'What will be shared',
  warning: 'Anyone with the file can read it.',
  messages: (messages, files) => `Messages: ${messages}, files: ${files}`,
  calls: (calls) => `Inputs of actions: ${calls}`,
  browser: 'The name of this browser',
  outputs: 'Results of actions',
  quoted: 'Answers may still quote the results that you left out.',
  save: 'Save report',
}

const ZH: ReportWords = {
  button: '报告问题…',
  title: '将分享的内容',
  warning: '拿到文件的人都能读到其中的内容。',
  messages: (messages, files) => `消息：${messages}，文件：${files}`,
  calls: (calls) => `操作的输入：${calls}`,
  browser: '此浏览器的名称',
  outputs: '操作的结果',
  quoted: '回答中可能仍引用了未勾选的结果。',
  save: '保存报告',
}

function wordsOf({ locale }: ChatContext): ReportWords {
  return /^zh\b/i.test(locale) ? ZH : EN
}

/** Shows the button that opens a sheet, in which a person chooses what a report of the conversation holds. */
export function reportView(context: ChatContext): TemplateResult {
  return iconButton('report', context.words.report ?? wordsOf(context).button, {
    press: ({ currentTarget }) => new Sheet(context).open(currentTarget as Element),
  })
}

class Sheet {
  readonly #context: ChatContext
  readonly #words: ReportWords
  readonly #dialog = document.createElement('dialog')
  /** Tools whose outputs are left out of the report. */
  readonly #leftOut = new Set<string>()
  #file: ReportFile | null = null
  #problem: string | undefined

  constructor(context: ChatContext) {
    this.#context = context
    this.#words = wordsOf(context)
  }

  open(opener: Element): void {
    this.#draw()
    openSheet(this.#dialog, opener, { name: 'report-sheet', styles })
    void this.#readReport()
  }

  async #readReport(): Promise<void> {
    const { agent, snapshot } = this.#context
    try {
      const stream = await agent.conversations.export(snapshot.conversationId)
      this.#file = new ReportFile(await new Response(stream).text())
    } catch (thrown) {
      this.#problem = errorText(thrown)
    }
    this.#draw()
  }

  #draw(): void {
    const { words } = this.#context
    const text = this.#words
    const file = this.#file
    render(
      html`
        <h3 id="report-sheet-title">${text.title}</h3>
        <p>${text.warning}</p>
        ${file ? this.#contentView(file) : nothing}
        ${file || this.#problem ? nothing : html`<p class="note">${words.loading}</p>`}
        ${problemLine(this.#problem)}
        <div class="buttons">
          <button
            type="button"
            class="primary"
            ?disabled=${!file}
            @click=${() => file && this.#save(file)}
          >
            ${text.save}
          </button>
          <button type="button" autofocus @click=${() => this.#dialog.close()}>
            ${words.cancel}
          </button>
        </div>
      `,
      this.#dialog,
    )
  }

  #contentView({ messages, calls, files, tools }: ReportFile): TemplateResult {
    const text = this.#words
    const { format } = numberFormat(this.#context.locale)
    return html`<div class="sheet-content report-content">
      <ul>
        <li>${text.messages(format(messages), format(files))}</li>
        <li>${text.calls(format(calls))}</li>
        <li>${text.browser}</li>
      </ul>
      ${
        tools.length === 0
          ? nothing
          : html`<fieldset>
              <legend class="note">${text.outputs}</legend>
              ${tools.map(
                ({ toolName, count }) =>
                  html`<label class="field"
                    ><input
                      type="checkbox"
                      .checked=${!this.#leftOut.has(toolName)}
                      @change=${() => this.#toggle(toolName)}
                    /><span>${this.#titleOf(toolName)}</span><small>×${format(count)}</small></label
                  >`,
              )}
            </fieldset>`
      }
      ${this.#leftOut.size > 0 ? html`<p class="note">${text.quoted}</p>` : nothing}
    </div>`
  }

  /** Returns the title that the tool's calls have in the chat. */
  #titleOf(toolName: string): string {
    const { messages } = this.#context.snapshot
    const calls = messages.flatMap(({ calls: each = [] }) => each)
    return visibleText(calls.find((call) => call.toolName === toolName)?.title ?? toolName)
  }

  #toggle(toolName: string): void {
    if (!this.#leftOut.delete(toolName)) this.#leftOut.add(toolName)
    this.#draw()
  }

  #save(file: ReportFile): void {
    const { actions } = this.#context
    const inspection = {
      runId: null,
      exportedAt: new Date().toISOString(),
      browser: navigator.userAgent,
      firstTokens: [],
    }
    const report = new File([file.textWith(inspection, this.#leftOut)], 'report.jsonl', {
      type: 'application/jsonl',
    })
    actions.perform({ name: 'report', detail: { file: report } }, () =>
      downloadFile(report.stream(), 'report'),
    )
    this.#dialog.close()
  }
}

const styles = css`
  .report-content ul {
    padding-inline-start: 1.25em;
  }

  .report-content fieldset {
    margin-block: 0.75em 0;
    padding: 0;
    border: 0;
  }

  .report-content legend {
    padding: 0;
  }

  .report-content .field {
    flex-flow: wrap;
    gap: 0 0.5em;
    align-items: center;
    min-block-size: var(--_row);
    overflow-wrap: anywhere;
  }

  .report-content .field input {
    align-self: center;
  }
`
