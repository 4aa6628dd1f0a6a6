import type { JsonValue } from '../protocol/json.ts'
import type { ToolDefinition } from '../protocol/tool.ts'
import { genericTools, type ParsedCalls, readBlock } from './block-reader.ts'
import { openers } from './foreign/dialects/table.ts'
import { type ParsedSectionCalls, withNamespaces } from './foreign/foreign-call.ts'
import { LiteralReader } from './foreign/literal-reader.ts'
import { readFirstCall } from './foreign/read-foreign.ts'
import { endOfElement, withoutTagMarks } from './foreign/tags.ts'
import { readSection } from './read-sections.ts'
import { alternation } from './char-codes.ts'
import { indexTools, type ToolIndex } from './tool-index.ts'
import { readOpenTag } from './xml.ts'
import { canonicalJson } from '../lib/json/canonical-json.ts'

/** Longer calls are not found. */
const maxLength = 20_000
/** Most characters read, counting repeated reads: `each` per character of the text, plus `all` per text. */
const budgets = { each: 12, all: 50 * maxLength }

/** Collects calls found in untrusted texts (Q3), read by the same rules as the model's output. */
export class CallFinder {
  readonly #index: ToolIndex
  readonly #starts: RegExp
  readonly #calls: Set<string>
  /** A text had more beginnings of calls than could be read, so any call may be in it. */
  #isIncomplete: boolean

  /** Starts with the calls that `previous`, a finder for other tools, has found. */
  constructor(tools: readonly ToolDefinition[], previous?: CallFinder) {
    this.#index = withNamespaces(indexTools(tools))
    this.#calls = new Set(previous ? previous.#calls : [])
    this.#isIncomplete = previous ? previous.#isIncomplete : false
    const names = alternation(this.#index.tools.flatMap(({ name, tag }) => [name, tag])) || '(?!)'
    const generic = `(?:[\\w-]+:)?(?:${alternation(genericTools)})(?=\\s)`
    this.#starts = new RegExp(
      `<(?:ACTION|[Aa]ction)(?=[\\s/>])|<(${generic}|(?:\\w+[.:])?(?:${names})(?::\\d+)?)(?=[\\s/>])|Action:|${alternation(openers)}|\\{(?=\\s*(?:["'<]|[^\\s:{}]{1,100}\\s*:))|(?:${names})(?:\\.call)?\\s*(?=[({])`,
      'g',
    )
  }

  /** Reads one more text, as it was sent. */
  addText(text: string): void {
    let left = budgets.each * text.length + budgets.all
    // Another call may begin inside each, whether it can be read or not.
    for (const { 0: start, 1: element, index: at } of text.matchAll(this.#starts)) {
      const rest = withoutTagMarks(text.slice(at, at + maxLength))
      const read = this.#read(rest, start, element !== undefined)
      for (const call of read.calls) this.addCall(call)
      left -= read.end
      if (left < 0) {
        this.#isIncomplete = true
        return
      }
    }
  }

  /** Reads the first call of a text, up to `end`, whatever follows it. */
  #read(
    text: string,
    start: string,
    isElement: boolean,
  ): Pick<ParsedSectionCalls, 'calls' | 'end'> {
    if (/^<action$/i.test(start)) {
      const read = readSection(text, this.#index, { maxLength, isCut: false })
      return read && !read.problem ? read : { calls: read?.calls ?? [], end: text.length }
    }
    const reader = new LiteralReader(text)
    const read = isElement ? this.#readElement(reader) : readFirstCall(reader, this.#index)
    return { calls: read?.calls ?? [], end: reader.at }
  }

  /** Reads a tool's element. */
  #readElement(reader: LiteralReader): ParsedCalls | undefined {
    const name = reader.match(/<([^\s/>]+)/y)?.[1] ?? ''
    const tag = readOpenTag(reader.text, reader.at)
    if (!tag) return undefined
    reader.at = tag.selfClosing ? tag.end : endOfElement(reader.text, name, tag.end)
    return readBlock(reader.text.slice(0, reader.at), this.#index)
  }

  /** Adds a call from an untrusted source. */
  addCall({ toolName, input }: { readonly toolName: string; readonly input: JsonValue }): void {
    this.#calls.add(canonicalCall(toolName, input))
  }

  /** Whether a text holds this call, or may hold it because not all of it was read. */
  hasCall(toolName: string, input: JsonValue): boolean {
    return this.#isIncomplete || this.#calls.has(canonicalCall(toolName, input))
  }
}

/** The call as a text that ignores the order of keys and differences in white space. */
function canonicalCall(name: string, input: JsonValue): string {
  return `${name} ${canonicalJson(input)}`.replace(/(?:\s|\\[nrt])+/g, ' ')
}
