import type { JsonValue } from '../protocol/json.ts'
import type { ToolDefinition } from '../protocol/tool.ts'
import { findMarker, openers } from './foreign/dialects/table.ts'
import { endOfElement } from './foreign/element-end.ts'
import { withoutTagMarks } from './foreign/tag-marks.ts'
import { readSection } from './read-sections.ts'
import { anyOf } from './text-pattern.ts'
import { indexTools, type ToolIndex } from './tool-index.ts'
import { canonicalJson } from '../lib/canonical-json.ts'

/** Longer calls are not found. */
const maxLength = 20_000
/** Characters that are read of a text at most, repeated reading included: for each that it has, and in all. */
const budgets = { each: 12, all: 50 * maxLength }

/** Collects the calls in texts that others wrote (Q3), as the reader of the model's output reads them. */
export class CallFinder {
  readonly #index: ToolIndex
  readonly #starts: RegExp
  readonly #calls: Set<string>

  /** Inherits what `previous`, for other tools, has found. */
  constructor(tools: readonly ToolDefinition[], previous?: CallFinder) {
    this.#index = indexTools(tools)
    this.#calls = new Set(previous ? previous.#calls : [])
    const names = anyOf(tools.map(({ name }) => name))
    const tags = anyOf(this.#index.tools.map(({ tag }) => `<${tag}`))
    const own =
      names &&
      `|${tags}|(?:${names})(?:\\.call)?\\s*[({]|\\{(?=[^{}]{0,200}["'][\\w.:\\s]{0,20}(?:${names})\\s*["'])`
    this.#starts = new RegExp(`<(?:ACTION|[Aa]ction)|Action:|${anyOf(openers)}${own}`, 'g')
  }

  /** Reads one more text, as it was sent. */
  read(text: string): void {
    let left = budgets.each * text.length + budgets.all
    let end = 0
    for (const { 0: start, index: at } of text.matchAll(this.#starts)) {
      // An opener begins a call only if the rest of its marker follows.
      const isOpener = !openers.includes(start) || typeof findMarker(text, at) === 'object'
      if (at < end || !isOpener) continue
      let rest = withoutTagMarks(text.slice(at, at + maxLength))
      // On its line, a sentence may go on.
      const tag = start.slice(1)
      if (this.#index.find(tag)) rest = rest.slice(0, endOfElement(rest, tag, start.length))
      const read = readSection(rest, this.#index, { maxLength, isCut: false })
      for (const call of read?.calls ?? []) this.take(call)
      // Inside of what can't be read another call may begin.
      const isRead = read !== undefined && !read.problem
      if (isRead) end = at + read.end
      left -= isRead ? read.end : rest.length
      if (left < 0) return
    }
  }

  /** Takes a call that others made. */
  take({ toolName, input }: { readonly toolName: string; readonly input: JsonValue }): void {
    this.#calls.add(canonicalCall(toolName, input))
  }

  holds(toolName: string, input: JsonValue): boolean {
    return this.#calls.has(canonicalCall(toolName, input))
  }
}

/** A call as one text, equal for inputs that differ in the order of keys and in white space only. */
function canonicalCall(name: string, input: JsonValue): string {
  return `${name} ${canonicalJson(input)}`.replace(/(?:\s|\\[nrt])+/g, ' ')
}
