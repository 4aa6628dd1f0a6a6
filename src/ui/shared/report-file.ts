import { Crc32 } from '../../conversation/index.ts'

/** Origin and scope of a file. Added to the fields that the first line of an export has. */
export interface Inspection {
  /** The run that the file ends with; null: the whole conversation. */
  readonly runId: string | null
  readonly exportedAt: string
  /** The browser's user agent string. */
  readonly browser: string
  /** Milliseconds to the first token, by step. Only for steps recorded live. */
  readonly firstTokens: readonly (readonly [string, number])[]
}

/** Replaces an output that is left out of a file. */
const LEFT_OUT = 'Left out of the report.'

type Fields = Readonly<Record<string, unknown>>

/** Outputs of one tool in a file. */
export interface ToolOutputs {
  readonly toolName: string
  count: number
  /** Characters of the outputs as JSON. */
  size: number
}

/** An exported file as text, whose outputs can be left out by tool. */
export class ReportFile {
  readonly #lines: readonly Fields[]
  /** Tool names by call id. Two conversations may use the same id, so names are looked up as rows are read in order. */
  readonly #toolNames = new Map<string, string>()
  /** Tool names of rows and parts that may have an output. */
  readonly #toolNameOf = new Map<Fields, unknown>()
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
      else write(isFields(row) ? { row: this.#withoutOutputs(leftOut, row) } : line)
    }
    return `${written.join('\n')}\n`
  }

  #count(row: Fields): void {
    const { type, message, messages, toolName, path, output } = row
    for (const each of [message, ...(isList(messages) ? messages : [])]) {
      if (!isFields(each)) continue
      this.messages += 1
      for (const part of partsOf(each)) {
        const lateOutput = /^Output of call (\S+), which/.exec(String(part['text']))
        if (lateOutput) this.#add(part, this.#toolNames.get(String(lateOutput[1])))
        if (part['type'] === 'file') this.files += 1
        if (part['type'] === 'tool-result') this.#add(part, part['toolName'], part['output'])
        if (part['type'] === 'tool-call') this.#addCall(part['toolCallId'], part['toolName'])
      }
    }
    if (type === 'call-proposed') this.#addCall(idOf(path), toolName)
    const isOutput = type === 'call-settled' && !isRefused(row)
    this.#add(row, this.#toolNames.get(idOf(path)) ?? '', isOutput && output)
  }

  #addCall(toolCallId: unknown, toolName: unknown): void {
    this.calls += 1
    this.#toolNames.set(String(toolCallId), String(toolName))
  }

  #add(fields: Fields, toolName: unknown, output?: unknown): void {
    this.#toolNameOf.set(fields, toolName)
    if (typeof toolName !== 'string' || !isFields(output) || output['type'] === 'denied') return
    const outputs = this.#tools.get(toolName) ?? { toolName, count: 0, size: 0 }
    this.#tools.set(toolName, outputs)
    outputs.count += 1
    outputs.size += JSON.stringify(output).length
  }

  /** Ids of the conversations started by calls of these tools, and of those started there. */
  #childrenOf(tools: ReadonlySet<unknown>): ReadonlySet<unknown> {
    const dropped = new Set<unknown>()
    let isDropped = false
    // A conversation comes after the conversation whose call started it.
    for (const { conversation, row } of this.#lines) {
      if (isFields(conversation)) isDropped = dropped.has(conversation['conversationId'])
      if (!isFields(row) || row['type'] !== 'child-started') continue
      if (isDropped || tools.has(this.#toolNameOf.get(row))) dropped.add(row['childConversationId'])
    }
    return dropped
  }

  /** Removes the outputs of these tools from a row or part. */
  #withoutOutputs(tools: ReadonlySet<unknown>, row: Fields): Fields {
    const { messages, output } = row
    if (isList(messages))
      return {
        ...row,
        messages: messages.filter(isFields).map((each) => ({
          ...each,
          parts: partsOf(each).map((part) => this.#withoutOutputs(tools, part)),
        })),
      }
    if (!tools.has(this.#toolNameOf.get(row)) || isRefused(row)) return row
    const copy: Record<string, unknown> = { ...row, values: undefined, note: undefined }
    for (const name of ['value', 'text', 'answer', 'message'])
      if (name in row) copy[name] = LEFT_OUT
    return { ...copy, output: output && withoutOutput(output) }
  }
}

/** Whether the call never ran. Its output is then the agent's own message about the input. */
function isRefused({ status }: Fields): boolean {
  return status === 'invalid'
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
