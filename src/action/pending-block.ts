import { type ReasoningEnd, closesReasoning } from './scan/reasoning-marks.ts'
import { CodeTracker } from './code-tracker.ts'
import { skipBlank } from './char-codes.ts'
import { anyCloser } from './foreign/dialects/table.ts'
import { startsHallucination, stopToken, turnStart } from './made-up.ts'
import { lazyPattern } from '../lib/once.ts'

/** Maximum characters of an opener. An opener with longer attributes is text. */
const maxOpenerLength = 300

const canonical = '<ACTION'

/** An `<ACTION …>` opener; `end` is after its `>`. */
export interface Opener {
  readonly end: number
  readonly selfClosing: boolean
  /** The name as it is spelled here. The closer may have the same spelling. */
  readonly name: string
}

/**
 * R1: returns the opener that starts at `at`; `'partial'` if more input may complete it. An opener in another letter
 * case counts only at the start of a line, with a tag directly after it.
 */
export function matchOpener(
  text: string,
  at: number,
  lineStart: boolean,
): Opener | 'partial' | undefined {
  const candidate = text.slice(at, at + canonical.length)
  const exact = canonical.startsWith(candidate)
  if (!exact && !(lineStart && canonical.startsWith(candidate.toUpperCase()))) return undefined
  if (candidate.length < canonical.length) return 'partial'
  const opener = matchRest(text, at)
  if (opener === undefined || opener === 'partial' || exact) return opener
  return isFollowedByTag(text, opener.end) ? opener : waitsForTag(text, opener.end)
}

function matchRest(text: string, at: number): Opener | 'partial' | undefined {
  const rest = text.slice(at + canonical.length, at + maxOpenerLength)
  const match = /^(?:\s+[\w:.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?)*\s*(\/?)>/.exec(rest)
  if (match) {
    const end = at + canonical.length + match[0].length
    return { end, selfClosing: match[1] === '/', name: text.slice(at + 1, at + canonical.length) }
  }
  if (at + maxOpenerLength <= text.length) return undefined
  return isPartialRest(rest) ? 'partial' : undefined
}

function isPartialRest(rest: string): boolean {
  return /^(?:\s+[\w:.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?)*(?:\s+(?:[\w:.-]+(?:\s*=\s*(?:"[^"]*|'[^']*|[^\s"'<>]*)?)?)?|\s*\/?)$/.test(
    rest,
  )
}

function isFollowedByTag(text: string, at: number): boolean {
  return /^\s*<[A-Za-z_!]/.test(text.slice(at, at + 200))
}

function waitsForTag(text: string, at: number): 'partial' | undefined {
  return text.length - at < 200 && /^\s*<?$/.test(text.slice(at)) ? 'partial' : undefined
}

/** Where an opener stands. Except in prose, its block counts only at the end of the output (R3, R5). */
export type CaptureContext = 'prose' | 'fence' | 'comment' | 'reasoning'

/** `text`: the captured text is not a block. */
type CaptureState = 'open' | 'closed' | 'text' | 'too-long'

type Phase = 'peek' | 'mention' | 'markup' | 'cdata' | 'cdata-end' | 'comment'

interface CaptureOptions {
  readonly context: CaptureContext
  /** Detects the end of the reasoning around the block. */
  readonly endsThought?: ReasoningEnd
  readonly opener: Opener
  readonly maxLength: number
}

const cdata = '<![CDATA['

interface Stop {
  readonly at: number
  /** More input is needed to decide. */
  readonly isPartial: boolean
}

/**
 * Collects text from an opener to the block's closer (R2, R7), piece by piece in linear time. Skips CDATA sections and
 * comments. Other code parses the content once.
 */
export class BlockCapture {
  readonly context: CaptureContext
  state: CaptureState = 'open'
  readonly #options: CaptureOptions
  readonly #closers: readonly string[]
  readonly #pieces: string[] = []
  #length = 0
  /** Start of the text after the block, in the last piece. */
  #restAt = 0
  #carry = ''
  #phase: Phase = 'peek'
  /** Tracks code around a mention, or the fence around the block. */
  readonly #tracker = new CodeTracker()
  #fenceLine = ''
  #fenceClosed = false
  #content: string | undefined
  #closer = ''

  constructor(options: CaptureOptions) {
    this.context = options.context
    this.#options = options
    this.#closers = [...new Set(['</ACTION', `</${options.opener.name}`])]
  }

  /** The opener isn't followed by a tag, so it may only be a mention of the tag in prose (R2). */
  get isMention(): boolean {
    return this.#phase === 'mention'
  }

  /** Text between opener and closer. While the closer is missing, all text so far. */
  get content(): string {
    return this.#content ?? this.#pieces.join('') + this.#carry
  }

  /** All captured text as the model wrote it, including the closer. */
  get written(): string {
    return this.content + this.#closer
  }

  /** Content of an unclosed block at the end of the output. An unclosed comment may have hidden the closer. */
  get unclosed(): { readonly content: string; readonly rest: string } {
    const { content } = this
    return this.#phase === 'comment' ? splitAtCloser(content) : { content, rest: '' }
  }

  /**
   * Feeds a piece. Returns the text after the block. If there is no block, returns the text from where that was known.
   */
  push(piece: string): string {
    const text = this.#carry + piece
    this.#carry = ''
    let at = 0
    while (this.state === 'open') {
      const next = this.#step(text, at)
      if (next === undefined) break
      at = next
    }
    if (this.state === 'open' && this.#length > this.#options.maxLength) this.state = 'too-long'
    return this.state === 'open' ? '' : text.slice(this.#restAt)
  }

  /** Keeps `text` up to `until` as content. The rest is read again with the next piece. */
  #wait(text: string, from: number, until: number): undefined {
    this.#keep(text.slice(from, until))
    this.#carry = text.slice(until)
    return undefined
  }

  #keep(part: string): void {
    if (part === '') return
    this.#pieces.push(part)
    this.#length += part.length
  }

  /** Takes one step from `at`. Returns the position to continue from, or undefined if all text is consumed. */
  #step(text: string, at: number): number | undefined {
    if (this.#phase === 'peek') return this.#peek(text, at)
    if (this.#phase === 'cdata' || this.#phase === 'comment') return this.#skipTo(text, at)
    if (this.#phase === 'cdata-end') return this.#afterCdata(text, at)
    return this.#markup(text, at)
  }

  #peek(text: string, at: number): number | undefined {
    const found = text.slice(at).search(/\S/)
    if (found < 0) return this.#wait(text, at, text.length)
    if (text[at + found] === '<') this.#phase = 'markup'
    else if (this.context === 'prose') this.#phase = 'mention'
    else return this.#becomeText(text, at, at)
    return at
  }

  /** Skips to the end of a CDATA section or a comment. */
  #skipTo(text: string, at: number): number | undefined {
    const end = this.#phase === 'cdata' ? ']]>' : '-->'
    const found = text.indexOf(end, at)
    const stop = this.#findStop(text, at, found < 0 ? text.length : found)
    if (stop) return this.#stopAt(text, at, stop)
    if (found < 0) return this.#wait(text, at, text.length - partialTail(text, at, end))
    this.#keep(text.slice(at, found + 3))
    this.#phase = this.#phase === 'cdata' ? 'cdata-end' : 'markup'
    return found + 3
  }

  /** Finds the position where the reasoning around the block ends or may end. */
  #findStop(text: string, from: number, to: number): Stop | undefined {
    const { endsThought } = this.#options
    if (!endsThought) return undefined
    const mark = /[<[◁]/g
    mark.lastIndex = from
    for (let found = mark.exec(text); found && found.index < to; found = mark.exec(text)) {
      const kind = endsThought(text, found.index)
      if (kind !== false) return { at: found.index, isPartial: kind === 'partial' }
    }
    return undefined
  }

  #stopAt(text: string, from: number, { at, isPartial }: Stop): undefined {
    return isPartial ? this.#wait(text, from, at) : this.#becomeText(text, from, at)
  }

  /** R10: treats a `]]>` as literal if another one precedes the next section or closing tag. */
  #afterCdata(text: string, at: number): number | undefined {
    const next = /\]\]>|<!\[cdata\[|<\/[A-Za-z_]/gi
    next.lastIndex = at
    const found = next.exec(text)
    if (!found) {
      const tail = /\]\]?$|<(?:\/|!(?:\[(?:c(?:d(?:a(?:t(?:a)?)?)?)?)?)?)?$/i.exec(
        text.slice(Math.max(at, text.length - 9)),
      )
      return this.#wait(text, at, text.length - (tail?.[0].length ?? 0))
    }
    if (found[0] !== ']]>') this.#phase = 'markup'
    const position = found[0] === ']]>' ? found.index + 3 : found.index
    this.#keep(text.slice(at, position))
    return position
  }

  #markup(text: string, at: number): number | undefined {
    const found = text.indexOf('<', at)
    const end = this.#findStop(text, at, found < 0 ? text.length : found + 1)
    if (end) return this.#stopAt(text, at, end)
    const stop = this.#followContext(text, at, found < 0 ? text.length : found)
    if (stop >= 0) return this.#becomeText(text, at, stop)
    if (found < 0) {
      const tail = this.context === 'comment' ? partialTail(text, at, '-->') : 0
      return this.#wait(text, at, text.length - tail)
    }
    const kind = this.#classify(text, found)
    if (kind === 'partial') return this.#wait(text, at, found)
    if (kind === 'text') return this.#becomeText(text, at, found)
    if (typeof kind === 'object') return this.#close(text, at, { start: found, end: kind.end })
    const length = kind === 'cdata' ? cdata.length : kind === 'comment' ? 4 : 1
    if (kind !== 'other') this.#phase = kind
    this.#follow(text, found, found + 1)
    this.#keep(text.slice(at, found + length))
    return found + length
  }

  #classify(
    text: string,
    at: number,
  ): 'partial' | 'text' | 'cdata' | 'comment' | 'other' | { end: number } {
    const window = text.slice(at, at + 10)
    const isMention = this.#phase === 'mention'
    if (!isMention && isPrefix(window.toUpperCase(), cdata))
      return window.length < 9 ? 'partial' : 'cdata'
    if (!isMention && this.context !== 'comment' && isPrefix(window, '<!--'))
      return window.length < 4 ? 'partial' : 'comment'
    if ((isMention || this.context !== 'prose') && /^<ACTION[\s>]/.test(window)) return 'text'
    if ((isMention || this.context !== 'prose') && '<ACTION'.startsWith(window)) return 'partial'
    return this.#matchCloser(text, at, window)
  }

  #matchCloser(text: string, at: number, window: string): 'partial' | 'other' | { end: number } {
    for (const closer of this.#closers) {
      if (!isPrefix(window, closer)) continue
      if (window.length < closer.length) return 'partial'
      const end = /^\s*(>?)/.exec(text.slice(at + closer.length, at + closer.length + 100))
      const length = closer.length + (end?.[0].length ?? 0)
      if (end?.[1] === '>') return this.#isInCode() ? 'other' : { end: at + length }
      if (at + length >= text.length) return 'partial'
    }
    return 'other'
  }

  /** R3: a closer in inline code doesn't close a mention. */
  #isInCode(): boolean {
    this.#tracker.flush()
    return this.#phase === 'mention' && (this.#tracker.inRun || this.#tracker.fenced)
  }

  #close(text: string, from: number, closer: { start: number; end: number }): undefined {
    const { start: at, end } = closer
    this.#keep(text.slice(from, at))
    this.#content = this.#pieces.join('')
    this.#closer = text.slice(at, end)
    this.#restAt = end
    this.state = this.#length > this.#options.maxLength ? 'too-long' : 'closed'
  }

  #becomeText(text: string, from: number, at: number): undefined {
    this.#keep(text.slice(from, at))
    this.#content = this.#pieces.join('')
    this.#restAt = at
    this.state = 'text'
  }

  /** Searches plain text for the end of the surrounding comment or fence. Returns its position, or -1. */
  #followContext(text: string, from: number, to: number): number {
    if (this.context === 'comment') {
      const start = Math.max(0, from - 2)
      const end = text.slice(start, to + 2).indexOf('-->')
      return end >= 0 && start + end < to ? start + end : -1
    }
    if (this.context === 'fence') return this.#followFence(text, from, to)
    this.#follow(text, from, to)
    return -1
  }

  #follow(text: string, from: number, to: number): void {
    if (this.#phase !== 'mention') return
    for (let at = from; at < to; at++) this.#tracker.feed(text.charCodeAt(at))
  }

  /** Returns the position of the first text after the line that closes the fence around an unfinished block, or -1. */
  #followFence(text: string, from: number, to: number): number {
    const last = Math.min(to + 1, text.length)
    for (let at = from; at < last; at++) {
      const char = text[at] ?? ''
      if (this.#fenceClosed && char.trim() !== '') return at
      if (char !== '\n') {
        if (this.#fenceLine.length < 100) this.#fenceLine += char
        continue
      }
      this.#fenceClosed ||= /^\s*(?:`{3,}|~{3,})\s*$/.test(this.#fenceLine)
      this.#fenceLine = ''
    }
    return -1
  }
}

function isPrefix(window: string, token: string): boolean {
  return window.length < token.length ? token.startsWith(window) : window.startsWith(token)
}

/** Returns the length of the text's end that could be the start of `token`. */
function partialTail(text: string, from: number, token: string): number {
  for (let length = Math.min(token.length - 1, text.length - from); length > 0; length--)
    if (text.endsWith(token.slice(0, length))) return length
  return 0
}

export interface FoundBlock {
  readonly content: string
  readonly tooLong: boolean
  /** The block has a closing tag. If false, the end of the output ended the block. */
  readonly isClosed: boolean
}

/** Outcome of a pending block: a block, or plain text that includes the opener. `rest`: text after it. */
export type BlockOutcome = { readonly rest: string } & (
  | { readonly block: FoundBlock; readonly written: string }
  | { readonly text: string }
)

export interface PendingBlockOptions {
  readonly context: CaptureContext
  /** Detects the end of the reasoning around the block. */
  readonly endsThought?: ReasoningEnd
  readonly opener: Opener
  /** The block's opener directly follows the line that opens its fence. */
  readonly aloneInFence: boolean
  /** The opener and the fence line before it, as written. */
  readonly before: string
}

/** Judges the content of a block without a closer. */
export interface UnclosedReader {
  /** A limit cut the output off. */
  readonly isCut: boolean
  /** Returns whether the content is a call in another format. */
  isForeignCall(content: string): boolean
  /**
   * Returns the position of a closing reasoning tag without an opening tag. The block is then part of that reasoning.
   */
  reasoningEnd(content: string): number | undefined
}

/** Detects where blocks start, and opens them. */
export interface BlockDetector {
  match(text: string, at: number, lineStart: boolean): Opener | 'partial' | undefined
  pendingBlock(options: PendingBlockOptions): PendingBlock
}

/** `maxLength`: maximum length of a block in characters. */
export function createBlockDetector(maxLength: number): BlockDetector {
  return {
    match: matchOpener,
    pendingBlock: (options) => new PendingBlock(options, maxLength),
  }
}

/** A block from its opener until it is complete or turns out to be text (R2, R3, R5, R6). */
export class PendingBlock {
  readonly #options: PendingBlockOptions
  readonly #capture: BlockCapture
  /** Text after a complete block that counts only at the end of the output. Undefined before. */
  #trailing: TrailingText | undefined

  constructor(options: PendingBlockOptions, maxLength: number) {
    this.#options = options
    this.#capture = new BlockCapture({ ...options, maxLength })
  }

  /** Feeds a piece of the output. Returns the outcome once it is certain. */
  push(piece: string): BlockOutcome | undefined {
    const { context, opener } = this.#options
    if (opener.selfClosing) return this.#blockOutcome(piece)
    if (this.#trailing) return this.#follow(this.#trailing, piece)
    const rest = this.#capture.push(piece)
    const { state } = this.#capture
    if (state === 'text') return this.#textOutcome(rest)
    if (state === 'open') return undefined
    if (context === 'prose' || state === 'too-long') return this.#blockOutcome(rest)
    this.#trailing = new TrailingText(this.#options.aloneInFence, this.#options.endsThought)
    return this.#follow(this.#trailing, rest)
  }

  /** Ends the output. */
  end(reader: UnclosedReader): BlockOutcome {
    const { context, aloneInFence } = this.#options
    const trailing = this.#trailing?.text
    if (trailing !== undefined) {
      // A limit cut off the output during the reasoning, so the block is a draft.
      const isDraft = context === 'reasoning' && reader.isCut
      return isBlockLast(trailing) && !isDraft
        ? this.#blockOutcome('')
        : this.#textOutcome(trailing)
    }
    const { content, isMention, unclosed } = this.#capture
    const mayBeCall = context === 'prose' || aloneInFence
    if (!mayBeCall || (isMention && !reader.isForeignCall(content))) return this.#textOutcome('')
    const end = reader.reasoningEnd(unclosed.content)
    if (end === undefined) return this.#blockOutcome(unclosed.rest, unclosed.content, false)
    return { text: this.#options.before + content.slice(0, end), rest: content.slice(end) }
  }

  /**
   * Checks the text after a block that counts only at the end of the output. Only white space and the end of the
   * block's fence may follow.
   */
  #follow(trailing: TrailingText, piece: string): BlockOutcome | undefined {
    const kind = trailing.push(piece)
    if (kind === 'open') return undefined
    return kind === 'end' ? this.#blockOutcome(trailing.text) : this.#textOutcome(trailing.text)
  }

  #blockOutcome(
    rest: string,
    content: string = this.#capture.content,
    isClosed = true,
  ): BlockOutcome {
    const { before } = this.#options
    const tooLong = this.#capture.state === 'too-long'
    const written = before + this.#capture.written
    return { block: { content, tooLong, isClosed }, written, rest }
  }

  #textOutcome(rest: string): BlockOutcome {
    return { text: this.#options.before + this.#capture.written, rest }
  }
}

/** A stray closing tag of any call format. */
const strayCloser = lazyPattern(() => `^(?:${anyCloser()})`, 'i')
/**
 * R4: returns whether text after a call is neither prose nor another call. `'partial'` if that depends on more text.
 */
export function matchHallucination(text: string): boolean | 'partial' {
  return stopToken().test(text) || text.startsWith('</') || startsHallucination(text, true)
}

/** Whether this text ends the model's own calls: a stop token, or a made-up result at the start of a line. */
export function endsCalls(text: string, lineStart: boolean): boolean {
  if (/^<\|(?:start|channel|message|constrain|call|end|return)\|>/.test(text)) return false
  return lineStart ? matchHallucination(text) === true : stopToken().test(text)
}

/** Longer than any stop token. */
const maxToken = 40

/** Checks the text after a block that counts only at the end of the output. */
export class TrailingText {
  readonly #pieces: string[] = []
  /** Character of the fence that closes around the block, once its first character was read. */
  #fence: string | undefined
  #mayClose: boolean
  readonly #endsThought: ReasoningEnd
  #token = ''

  constructor(aloneInFence: boolean, endsThought: ReasoningEnd = closesReasoning) {
    this.#mayClose = aloneInFence
    this.#endsThought = endsThought
  }

  get text(): string {
    return this.#pieces.join('')
  }

  /** Reads a piece. Returns `'end'` at a stop token, `'text'` for other text, `'open'` if undecided. */
  push(piece: string): 'open' | 'end' | 'text' {
    this.#pieces.push(piece)
    for (const char of piece) {
      const state = this.#feed(char)
      if (state !== 'open') return state
    }
    return 'open'
  }

  #feed(char: string): 'open' | 'end' | 'text' {
    if (this.#token === '') {
      if (skipBlank(char) === '') {
        this.#mayClose &&= this.#fence === undefined
        return 'open'
      }
      if (this.#mayClose && (char === (this.#fence ?? '`') || char === (this.#fence ?? '~'))) {
        this.#fence = char
        return 'open'
      }
      if (char !== '<') return 'text'
    }
    const isOpen = this.#token === '' || !/[<>\n]/.test(char)
    this.#token += char
    if (isOpen && this.#token.length < maxToken) return 'open'
    const isEnd = this.#endsThought(this.#token, 0)
    if (isEnd === 'partial') return 'open'
    return stopToken().test(this.#token) && !isEnd ? 'end' : 'text'
  }
}

/** Whether nothing else follows than white space, stop tokens and stray closing tags. */
export function endsAnswer(trailing: string): boolean {
  let rest = skipBlank(trailing)
  for (;;) {
    const found = turnStart.exec(rest) ?? stopToken().exec(rest) ?? strayCloser().exec(rest)
    if (!found) return rest === ''
    rest = skipBlank(rest.slice(found[0].length))
  }
}

/** Whether nothing, or only the end of a fence, follows the block. */
function isBlockLast(trailing: string): boolean {
  return /^\s*(?:(?:`{3,}|~{3,})\s*)?$/.test(trailing)
}

/** Splits the content at the first closer. An unclosed comment is text, so a closer in it ends the block. */
export function splitAtCloser(content: string): {
  readonly content: string
  readonly rest: string
} {
  const closer = /<\/ACTION\s*>/.exec(content)
  if (!closer) return { content, rest: '' }
  const end = closer.index + closer[0].length
  return { content: content.slice(0, closer.index), rest: content.slice(end) }
}
