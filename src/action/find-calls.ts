import type { JsonValue } from '../protocol/json.ts'
import type { ToolDefinition } from '../protocol/tool.ts'
import { readBlockContent } from './block-content.ts'
import { matchOpener } from './block-opener.ts'
import type { Opener } from './block-opener.ts'
import { isGeneric, readBlock } from './block-reader.ts'
import type { CallsRead } from './block-reader.ts'
import { canonicalCall } from './canonical-call.ts'
import { decodedVariants } from './decoded-variants.ts'
import { openers } from './foreign/dialects/table.ts'
import { nameElement, nameTags, readNamed, skipElement } from './foreign/dialects/wrapped.ts'
import { endOfElement, endOutsideMarkup } from './foreign/element-end.ts'
import { bareName, resolveCalls } from './foreign/foreign-call.ts'
import type { ForeignCall } from './foreign/foreign-call.ts'
import { callsOfJson } from './foreign/json-calls.ts'
import { LiteralReader, Unreadable } from './foreign/literal-reader.ts'
import { calledName, readPythonCall } from './foreign/python-calls.ts'
import { readSection } from './foreign/marked-calls.ts'
import { matchMarker } from './foreign/markers.ts'
import { readReactCall } from './foreign/react-calls.ts'
import { MentionedCalls } from './mentioned-calls.ts'
import { createBlockDetector } from './pending-block.ts'
import { plainName } from './suggest.ts'
import { anyOf } from './text-pattern.ts'
import { indexTools } from './tool-index.ts'
import type { IndexedTool, ToolIndex } from './tool-index.ts'
import { readOpenTag } from './xml-tags.ts'
import { lazyPattern } from '../lib/once.ts'

/** The budget of a text, in characters read (repeated reading included) for each that it has. */
const maxReadings = 12
/** What an attempt costs at least, in characters. */
const attempt = 50
/** JSON in strings of JSON in strings … */
const maxNesting = 4

/** Markers that begin with neither `<` nor `[`. */
const words = openers.filter((opener) => !/^[<[]/.test(opener))
/** A tool's name, its index included, before its arguments. */
const named =
  '(?<![\\p{L}\\p{M}\\p{N}_.-])[\\p{L}\\p{N}_][\\p{L}\\p{M}\\p{N}_.-]*(?::\\d+)?(?=\\s{0,20}[({])'
const callStart = lazyPattern(
  () => `[<[]|\\{(?=\\s*["'\\p{L}_<])|Action:|${anyOf(words)}|${named}`,
  'gu',
)
const wordStart = lazyPattern(() => `^(?:${anyOf(words)})$`)
const beforeObject = /^\s{0,20}\{/
/** An input that may be empty, where the model's output ends here. */
const emptyInput = /^Action:[^\n]{1,200}\n\s{0,100}Action Input:/
/** Longer blocks aren't read, neither of a model. */
const blocks = createBlockDetector(1_000_000)

/** Collects the calls in texts that others wrote, wherever they stand in them (Q3). */
export class CallFinder {
  readonly #index: ToolIndex
  readonly #names: readonly string[]
  readonly #calls = new Set<string>()
  readonly #mentions: MentionedCalls
  /** Tools whose elements stand in the texts. */
  readonly #elements = new Set<string>()
  /** A marker or a block's opener stands before: what follows is a call in more cases. */
  #isMarked = false
  /** Where closers stand last in the text that is scanned. */
  readonly #lasts = new Map<string, number>()
  #budget = 0
  #isOverBudget = false

  /** Inherits what `previous`, for other tools, has found. */
  constructor(tools: readonly ToolDefinition[], previous?: CallFinder) {
    this.#index = withLenientNames(indexTools(tools))
    this.#names = tools.map(({ name }) => plainName(name))
    this.#mentions = new MentionedCalls(tools.map(({ name }) => name))
    if (!previous) return
    for (const call of previous.#calls) this.#calls.add(call)
    for (const name of previous.#elements) this.#elements.add(name)
    this.#mentions.inherit(previous.#mentions)
    this.#isOverBudget = previous.#isOverBudget
  }

  /** Reads one more text, as it was sent; `coarsely`: what only mentions a call counts, too. */
  read(text: string, coarsely: boolean = false): void {
    if (coarsely) this.#mentions.read(text)
    this.#isMarked = false
    this.#read(text, 0)
  }

  /** Takes a call that others made. */
  take({ toolName, input }: { readonly toolName: string; readonly input: JsonValue }): void {
    const tool = this.#index.find(toolName)
    if (tool) this.#calls.add(canonicalCall(tool, input))
  }

  /** A text holds this call, or may hold it: one was too long to read within the budget. */
  holds(toolName: string, input: JsonValue): boolean {
    if (this.#isOverBudget) return true
    const tool = this.#index.find(toolName)
    if (!tool) return false
    if (this.#calls.has(canonicalCall(tool, input)) || this.#mentions.holds(tool, input))
      return true
    return this.#elements.has(tool.name) && holdsCloser(tool, input)
  }

  #read(text: string, nesting: number): void {
    const variants = decodedVariants(text)
    if (!variants.some((variant) => this.#namesTool(variant))) return
    for (const variant of variants) this.#scan(variant, nesting)
  }

  #namesTool(text: string): boolean {
    const plain = plainName(text)
    return this.#names.some((name) => plain.includes(name))
  }

  /** Tries every position where a call of some format may start. */
  #scan(text: string, nesting: number): void {
    this.#budget = maxReadings * text.length + 100_000
    this.#lasts.clear()
    const leaves: string[] = []
    const starts = new RegExp(callStart())
    for (let found = starts.exec(text); found && !this.#isOverBudget; found = starts.exec(text)) {
      const at = found.index
      const [start] = found
      if (start === '<') this.#readTag(text, at)
      else if (start === '[' || wordStart().test(start)) this.#readMarked(text, at)
      else if (start === '{') starts.lastIndex = this.#readObject(text, at, leaves)
      else if (start === 'Action:') this.#readReact(text, at)
      else if (beforeObject.test(text.slice(starts.lastIndex, starts.lastIndex + 21)))
        this.#readNamed(text, at, start)
      else if (start === 'print' || this.#index.find(bareName(calledName(start))))
        this.#readPython(text, at)
    }
    if (nesting < maxNesting) for (const leaf of leaves) this.#read(leaf, nesting + 1)
  }

  #readMarked(text: string, at: number): void {
    if (matchMarker(text, at) !== true) return
    this.#isMarked = true
    const reads = this.#attempt(text, at, (reader) => readSection(reader, this.#index))
    // It may have read on to the text's end to find none.
    if (!reads.some(({ value }) => !value.problem)) this.#charge(text.length - at)
    for (const { value } of reads) this.#add(value)
  }

  #readTag(text: string, at: number): void {
    const opener = matchOpener(text, at, true)
    if (typeof opener === 'object') return this.#readBlock(text, opener)
    const name = /^<([^\s<>/]+)/.exec(text.slice(at, at + 100))?.[1] ?? ''
    const isTool = this.#index.find(name) !== undefined
    const tag = isTool || isGeneric(name) ? readOpenTag(text, at + 1 + name.length) : undefined
    const tool = this.#index.find(tag?.attributes.get('name') ?? '') ?? this.#index.find(name)
    if (tag && tool) {
      this.#elements.add(tool.name)
      const ends = tag.selfClosing
        ? [tag.end]
        : [endOfElement(text, name, tag.end), endOutsideMarkup(text, name, tag.end)]
      for (const end of new Set(ends)) this.#readElement(text, at, end)
    }
    if (!tag || !isTool) this.#readMarked(text, at)
    if (this.#isMarked && nameTags.has(name)) this.#readNameElement(text, at)
  }

  /** Its arguments may end after each of the elements that follow. */
  #readNameElement(text: string, at: number): void {
    const beginning = text.slice(at, at + 400)
    const named = nameElement(beginning)
    if (!named || !this.#index.find(bareName(named.name))) return
    const from = at + beginning.length - named.rest.length
    const reader = new LiteralReader(text, from)
    do {
      this.#charge(reader.at - at)
      this.#add(readNamed({ ...named, rest: text.slice(from, reader.at) }, this.#index))
    } while (!this.#isOverBudget && skipElement(reader))
  }

  #readElement(text: string, at: number, end: number): void {
    const read = readBlock(text.slice(at, end), this.#index)
    this.#charge((read.problem ? text.length : end) - at)
    this.#add(read)
  }

  /** As the reader does, in whatever format. Without a closer, the calls in it are found one by one. */
  #readBlock(text: string, opener: Opener): void {
    this.#isMarked = true
    const lastCloser = Math.max(this.#last(text, '</ACTION'), this.#last(text, `</${opener.name}`))
    if (lastCloser < opener.end) return
    const block = blocks.open({ context: 'prose', opener, aloneInFence: true, before: '' })
    const asBlock = { isForeignCall: () => true, thoughtEnd: () => undefined }
    const outcome = block.push(text.slice(opener.end)) ?? block.end(asBlock)
    const content = 'block' in outcome ? outcome.block.content : outcome.text
    this.#charge(content.length)
    this.#add(readBlockContent(content, this.#index, false))
  }

  #last(text: string, wanted: string): number {
    const known = this.#lasts.get(wanted) ?? text.lastIndexOf(wanted)
    this.#lasts.set(wanted, known)
    return known
  }

  /** Adds the calls of a JSON object and of all in it, collects its strings, and returns where to go on. */
  #readObject(text: string, at: number, leaves: string[]): number {
    const reads = this.#attempt(text, at, (reader) => reader.value())
    for (const { value } of reads) this.#walk(value, leaves)
    return reads[0]?.end ?? at + 1
  }

  #walk(value: JsonValue, leaves: string[]): void {
    if (typeof value === 'string') leaves.push(value)
    if (typeof value !== 'object' || value === null) return
    if (!Array.isArray(value)) this.#addResolved(callsOfJson(value, this.#index, this.#isMarked))
    for (const entry of Object.values(value)) this.#walk(entry, leaves)
  }

  #readPython(text: string, at: number): void {
    const reads = this.#attempt(text, at, (reader) => readPythonCall(reader))
    for (const { value } of reads) this.#addResolved([value])
  }

  #readReact(text: string, at: number): void {
    const reads = this.#attempt(text, at, (reader) => readReactCall(reader, this.#index))
    for (const { value } of reads) this.#add(value)
    const empty = emptyInput.exec(text.slice(at, at + 400))?.[0]
    if (empty === undefined) return
    const [read] = this.#attempt(empty, 0, (reader) => readReactCall(reader, this.#index))
    if (read) this.#add(read.value)
  }

  /** `name{…}`, or the name on a line of its own. */
  #readNamed(text: string, at: number, name: string): void {
    if (!this.#index.find(bareName(name))) return
    const reads = this.#attempt(text, at + name.length, (reader) => reader.value())
    for (const { value } of reads) this.#addResolved([{ name, args: value }])
  }

  /** What is read at a position: twice, with either value, where an object gives a key twice. */
  #attempt<T>(
    text: string,
    at: number,
    read: (reader: LiteralReader) => T | undefined,
  ): readonly { readonly value: T; readonly end: number }[] {
    const found: { value: T; end: number }[] = []
    for (const repeats of ['none', 'first', 'last'] as const) {
      const reader = new LiteralReader(text, at)
      reader.repeats = repeats
      reader.mayEnd = true
      try {
        const value = read(reader)
        if (value !== undefined) found.push({ value, end: reader.at })
      } catch (thrown) {
        if (!(thrown instanceof Unreadable)) throw thrown
      }
      this.#charge(reader.at - at)
      if (!reader.hasRepeats) break
    }
    return found
  }

  /** Each is resolved on its own: an invalid one doesn't hide those after it. */
  #addResolved(calls: readonly ForeignCall[] = []): void {
    for (const call of calls) this.#add(resolveCalls([call], this.#index))
  }

  #add({ calls }: CallsRead): void {
    for (const call of calls) this.take(call)
  }

  #charge(characters: number): void {
    this.#budget -= characters + attempt
    this.#isOverBudget ||= this.#budget < 0
  }
}

/** Finds tools by names in any letter case and with any separators. */
function withLenientNames(index: ToolIndex): ToolIndex {
  const byName = new Map(index.tools.map((tool) => [plainName(tool.name), tool]))
  return {
    tools: index.tools,
    find: (name) => index.find(name) ?? byName.get(plainName(bareName(name))),
  }
}

/**
 * Whether a value holds a closer of an element that the tool's calls are written as: where the element ends, and
 * so what the value is, then depends on what follows it in the model's output.
 */
function holdsCloser({ name, tag }: IndexedTool, input: JsonValue): boolean {
  const closers = [...JSON.stringify(input).matchAll(/<\/([^\s<>"\\]+)/g)]
  return closers.some(([, closed = '']) => closed === name || closed === tag || isGeneric(closed))
}
