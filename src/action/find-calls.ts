import type { JsonValue } from '../protocol/json.ts'
import type { ToolDefinition } from '../protocol/tool.ts'
import { findMarker, openers } from './foreign/dialects/table.ts'
import { endOfElement, withoutTagMarks } from './foreign/tags.ts'
import { readSection } from './read-sections.ts'
import { alternation } from './char-codes.ts'
import { indexTools, type ToolIndex } from './tool-index.ts'
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
    this.#index = indexTools(tools)
    this.#calls = new Set(previous ? previous.#calls : [])
    this.#isIncomplete = previous ? previous.#isIncomplete : false
    const names = alternation(tools.map(({ name }) => name))
    const tags = alternation(this.#index.tools.map(({ tag }) => `<${tag}`))
    const own =
      names &&
      `|${tags}|(?:${names})(?:\\.call)?\\s*[({]|\\{(?=[^{}]{0,200}["'][\\w.:\\s]{0,20}(?:${names})\\s*["'])`
    this.#starts = new RegExp(`<(?:ACTION|[Aa]ction)|Action:|${alternation(openers)}${own}`, 'g')
  }

  /** Reads one more text, as it was sent. */
  addText(text: string): void {
    let left = budgets.each * text.length + budgets.all
    // Another call may begin inside each, whether it can be read or not.
    for (const { 0: start, index: at } of text.matchAll(this.#starts)) {
      // An opener begins a call only if the rest of its marker follows.
      if (openers.includes(start) && typeof findMarker(text, at) !== 'object') continue
      let rest = withoutTagMarks(text.slice(at, at + maxLength))
      // A sentence may follow the element on its line, so the text is cut at the element's end.
      const tag = start.slice(1)
      if (this.#index.find(tag)) rest = rest.slice(0, endOfElement(rest, tag, start.length))
      const read = readSection(rest, this.#index, { maxLength, isCut: false })
      for (const call of read?.calls ?? []) this.addCall(call)
      left -= read && !read.problem ? read.end : rest.length
      if (left < 0) {
        this.#isIncomplete = true
        return
      }
    }
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
