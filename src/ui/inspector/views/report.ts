import { html, nothing, type TemplateResult } from 'lit'
import { Crc32 } from '../../../conversation/index.ts'
import type { Agent } from '../../../index.ts'
import { datedName, downloadFile } from '../../shared/download-file.ts'
import type { Inspection } from '../parts/inspection-file.ts'
import type { Recording } from '../recording.ts'
import { toVisibleText } from './format.ts'

/** Replaces an output that is left out of a file. */
const LEFT_OUT = 'Left out of the report.'

type Fields = Readonly<Record<string, unknown>>

/** Outputs of one tool in a file. */
interface ToolOutputs {
  readonly toolName: string
  count: number
  /** Characters of JSON. */
  size: number
}

/** An exported file as text, whose outputs can be left out by tool. */
export class ReportFile {
  readonly #lines: readonly Fields[]
  /** Tool names by call id. */
  readonly #names = new Map<string, string>()
  readonly #tools = new Map<string, ToolOutputs>()
  messages = 0
  calls = 0
  files = 0

  constructor(text: string) {
    this.#lines = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Fields)
    for (const { row } of this.#lines) if (isFields(row)) this.#count(row)
  }

  get tools(): readonly ToolOutputs[] {
    return [...this.#tools.values()]
  }

  /** Returns the file's text with the inspection, and without outputs of the tools in `leftOut`. */
  textWith(inspection: Inspection, leftOut: ReadonlySet<string>): string {
    const [header, ...lines] = this.#lines
    const dropped = this.#childrenOf(leftOut)
    const written = [JSON.stringify({ ...header, inspector: inspection })]
    let crc = new Crc32()
    let isDropped = false
    let conversations = 0
    const write = (line: Fields): void => {
      const text = JSON.stringify(line)
      written.push(text)
      crc.add(new TextEncoder().encode(`${text}\n`))
    }
    for (const line of lines) {
      const { conversation, row, end } = line
      if (isFields(conversation)) {
        isDropped = dropped.has(conversation['conversationId'])
        if (!isDropped) conversations += 1
        crc = new Crc32()
      }
      if (line['conversations'] !== undefined) write({ conversations })
      else if (isDropped) continue
      else if (isFields(end)) write({ end: { ...end, crc32: crc.digits } })
      else write(isFields(row) ? { row: this.#without(leftOut, row) } : line)
    }
    return `${written.join('\n')}\n`
  }

  #count(row: Fields): void {
    const { type, message, messages, toolName, path, output } = row
    for (const each of [message, ...(isList(messages) ? messages : [])]) {
      if (!isFields(each)) continue
      this.messages += 1
      for (const part of partsOf(each)) {
        if (part['type'] === 'file') this.files += 1
        if (part['type'] === 'tool-result') this.#add(part['toolName'], part['output'])
        if (part['type'] === 'tool-call') this.#name(part['toolCallId'], part['toolName'])
      }
    }
    if (type === 'call-proposed') this.#name(idOf(path), toolName)
    if (type === 'call-settled' && !isRefused(row)) this.#add(this.#toolOf(row), output)
  }

  #name(toolCallId: unknown, toolName: unknown): void {
    this.calls += 1
    this.#names.set(String(toolCallId), String(toolName))
  }

  #add(toolName: unknown, output: unknown): void {
    if (typeof toolName !== 'string' || !isFields(output) || output['type'] === 'denied') return
    const known = this.#tools.get(toolName) ?? { toolName, count: 0, size: 0 }
    this.#tools.set(toolName, known)
    known.count += 1
    known.size += JSON.stringify(output).length
  }

  /** Ids of the conversations that calls of these tools have begun, with those begun there. */
  #childrenOf(tools: ReadonlySet<string>): ReadonlySet<unknown> {
    const dropped = new Set<unknown>()
    let isDropped = false
    // A conversation comes after the one with its call.
    for (const { conversation, row } of this.#lines) {
      if (isFields(conversation)) isDropped = dropped.has(conversation['conversationId'])
      if (!isFields(row) || row['type'] !== 'child-started') continue
      if (isDropped || tools.has(this.#toolOf(row))) dropped.add(row['childConversationId'])
    }
    return dropped
  }

  #toolOf({ path }: Fields): string {
    return this.#names.get(idOf(path)) ?? ''
  }

  #without(tools: ReadonlySet<string>, row: Fields): Fields {
    if (isList(row['messages']))
      return { ...row, messages: row['messages'].map((each) => withoutResults(tools, each)) }
    if (!tools.has(this.#toolOf(row)) || isRefused(row)) return row
    const { output, value, text, answer, values: _values, note: _note, message, ...rest } = row
    return {
      ...rest,
      ...(output !== undefined && { output: withoutOutput(output) }),
      ...(value !== undefined && { value: LEFT_OUT }),
      ...(text !== undefined && { text: LEFT_OUT }),
      ...(answer !== undefined && { answer: LEFT_OUT }),
      ...(message !== undefined && { message: LEFT_OUT }),
    }
  }
}

/** The call never ran: its output is the agent's own, about the input. */
function isRefused({ status }: Fields): boolean {
  return status === 'invalid'
}

function withoutResults(tools: ReadonlySet<string>, message: unknown): unknown {
  if (!isFields(message)) return message
  const parts = partsOf(message).map((part) =>
    part['type'] === 'tool-result' && tools.has(String(part['toolName']))
      ? { ...part, output: withoutOutput(part['output']) }
      : part,
  )
  return { ...message, parts }
}

/** Keeps whether the call failed or was denied. */
function withoutOutput(output: unknown): unknown {
  const { type, code } = isFields(output) ? output : {}
  if (type === 'denied') return { type }
  return type === 'error' ? { type, code, message: LEFT_OUT } : { type: 'text', value: LEFT_OUT }
}

function partsOf({ parts }: Fields): readonly Fields[] {
  return isList(parts) ? parts.filter(isFields) : []
}

function idOf(path: unknown): string {
  return isList(path) ? String(path.at(-1)) : ''
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

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
  /** The run that the file ends with; null: the whole conversation. */
  #runId: string | null

  constructor(host: SheetHost) {
    this.#host = host
    this.#runId = host.recording.journal.runIds().at(-1) ?? null
    void this.#read()
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
      void this.#read()
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

  async #read(): Promise<void> {
    const { agent, recording, changed, close } = this.#host
    const { journal } = recording
    const runId = this.#runId
    this.#file = null
    changed()
    const through = runId === null ? journal.rows.length : (journal.spanOf(runId)?.to ?? 0)
    try {
      const stream = await agent.conversations.export(journal.conversationId, { through })
      const file = new ReportFile(await new Response(stream).text())
      // Another range was chosen meanwhile.
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
