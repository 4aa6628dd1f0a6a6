import type { JsonValue } from '../protocol/json.ts'
import type { ToolDefinition } from '../protocol/tool.ts'
import { genericTools, type ParsedCalls, readBlock } from './block-reader.ts'
import { openers } from './foreign/dialects/table.ts'
import { resolveCalls, withNamespaces } from './foreign/foreign-call.ts'
import { LiteralReader, Unreadable } from './foreign/literal-reader.ts'
import {
  callsOfJson,
  readHeadedCall,
  readPythonCall,
  readReactCall,
} from './foreign/plain-calls.ts'
import { readMarkedSection } from './foreign/read-foreign.ts'
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
  /** A text had too many possible starts of calls to read them all, so it may contain any call. */
  #isIncomplete: boolean

  /** Starts with the calls found by `previous`, a finder for other tools. */
  constructor(tools: readonly ToolDefinition[], previous?: CallFinder) {
    this.#index = withNamespaces(indexTools(tools))
    this.#calls = new Set(previous ? previous.#calls : [])
    this.#isIncomplete = previous ? previous.#isIncomplete : false
    const names = alternation(this.#index.tools.flatMap(({ name, tag }) => [name, tag])) || '(?!)'
    const elements = `(?:[\\w-]+[.:])?(?:(?:${alternation(genericTools)})(?!>)|(?:${names})(?::\\d+)?)`
    this.#starts = new RegExp(
      `<(ACTION|[Aa]ction|${elements})(?=[\\s/>])|Action:|${alternation(openers)}|\\{(?=\\s*(?:["'<]|[^\\s:{}]+\\s*:))|(?:${names})(?:\\.call)?\\s*(?=[({])`,
      'g',
    )
  }

  /** Reads one more text, as it was sent. */
  addText(text: string): void {
    let budget = budgets.each * text.length + budgets.all
    // Another call may begin inside each call, even if the outer call can't be read.
    for (const { 1: element, index: at } of text.matchAll(this.#starts)) {
      const source = text.slice(at, at + maxLength)
      const reader = new LiteralReader(element === undefined ? withoutTagMarks(source) : source)
      try {
        for (const call of this.#readCall(reader, element).calls) this.addCall(call)
      } catch (thrown) {
        if (!(thrown instanceof Unreadable)) throw thrown
      }
      budget -= reader.at
      if (budget < 0) {
        this.#isIncomplete = true
        return
      }
    }
  }

  /** Reads the call at the start of the text, whatever follows it. Leaves the reader at the call's end. */
  #readCall(reader: LiteralReader, element: string | undefined): ParsedCalls {
    const { text } = reader
    const index = this.#index
    if (element === undefined) {
      const parsed = readMarkedSection(reader, index) ?? readReactCall(reader, index)
      if (parsed) return parsed
      const call = readPythonCall(reader) ?? readHeadedCall(reader, index)
      const calls = call ? [call] : callsOfJson(reader.value(), index, false)
      return resolveCalls(calls ?? [], index)
    }
    if (/^action$/i.test(element)) {
      reader.at = text.length
      const block = readSection(text, index, { maxLength, isCut: false }) ?? reader.fail()
      if (!block.problem) reader.at = block.end
      return block
    }
    reader.at = element.length + 1
    const tag = readOpenTag(text, reader.at) ?? reader.fail()
    reader.at = tag.selfClosing ? tag.end : endOfElement(text, element, tag.end)
    return readBlock(text.slice(0, reader.at), index)
  }

  /** Adds a call from an untrusted source. */
  addCall({ toolName, input }: { readonly toolName: string; readonly input: JsonValue }): void {
    this.#calls.add(canonicalCall(toolName, input))
  }

  /** Whether a text contains this call, or may contain it in a part that wasn't read. */
  hasCall(toolName: string, input: JsonValue): boolean {
    return this.#isIncomplete || this.#calls.has(canonicalCall(toolName, input))
  }
}

/** Writes the call as text, which doesn't depend on key order or white space. */
function canonicalCall(name: string, input: JsonValue): string {
  return `${name} ${canonicalJson(input)}`.replace(/(?:\s|\\[nrt])+/g, ' ')
}
