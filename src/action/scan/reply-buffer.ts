import { newline, skipBlank } from '../char-codes.ts'
import type { ConstructMatcher } from '../foreign/construct-matcher.ts'
import type { ForeignDetector, PendingCall } from '../foreign/foreign-detector.ts'
import type { QuotationTracker } from '../quotation-tracker.ts'
import { endOfMessage } from './frames.ts'
import type { BlockDetector, FoundBlock, UnclosedReader } from '../pending-block.ts'

/** Detectors for the marks of a text. */
export interface Detectors {
  /** Recognises blocks. Undefined if they aren't expected. */
  readonly blocks?: BlockDetector
  /** Recognises calls in other formats. Undefined if they aren't expected. */
  readonly foreign?: ForeignDetector
  /** Tracks quotations, for native mode: calls count only outside of them (Q2). */
  readonly quotations?: QuotationTracker
}

export interface CallsOptions {
  /** State of quotations at the start of the text. */
  readonly quotations: QuotationTracker | undefined
  /** Shows the prose around the calls. */
  readonly show: (prose: string) => void
}

/** Kind of a text that starts like a call. `thoughtEnd`: reasoning, up to the closer at this position (R5). */
export type CallsFound = 'calls' | 'text' | { readonly thoughtEnd: number }

/** Receives the machine's output, in order. */
export interface Sink extends UnclosedReader {
  /** Receives text of the reply. */
  onText(delta: string): void
  onReasoning(delta: string): void
  /** Reports a reasoning closer without an opener. All text before it was reasoning, including calls. */
  onLoneCloser(): void
  /** Receives text from unfinished reasoning that may start with a call. Returns whether it does. */
  onCallInReasoning(text: string): boolean
  /** Returns whether a text that starts like a call in another format is one. */
  isCall(text: string): boolean
  /** Receives a text that starts with a call. */
  readCalls(text: string, options: CallsOptions): CallsFound
  /** Reports that the output ended inside the opener. */
  onCutOpener(text: string): void
  /** Receives a block. Output after it is text only if the block turns out to be reasoning. */
  onBlock(found: FoundBlock): void
  /** Receives model output after the block. */
  onIgnored(text: string): void
}

/**
 * Decides whether text of the reply is shown or held back. Where a call in another format may start, holds the text
 * back. A harmony message to a function is held separately, and is never text.
 */
export class ReplyBuffer {
  readonly #sink: Sink
  readonly #detectors: Detectors
  #hasText = false
  /** The next white space follows reasoning or repeated template tokens, so it isn't content. */
  #trimNext = false
  /** The next text belongs to another message. */
  #separateNext = false
  #call: PendingCall | undefined
  /** Header of the held harmony message. Undefined if the held text isn't such a message. */
  #header: string | undefined
  #held: string[] = []
  /**
   * Start of the newest construct in the held text: index of a piece. Below: length of the previous construct's part in
   * that piece.
   */
  #start = 0
  #skipped = 0
  /** State of quotations at the start of the held text. */
  #before: QuotationTracker | undefined
  /** The calls are over, and the text after them isn't the model's own. */
  #isOver = false
  readonly #messages: string[] = []
  /**
   * Entries of `#messages` that are calls without a marker. They are shown as text if they turn out not to be calls.
   */
  readonly #unmarked = new Set<string>()

  constructor(sink: Sink, detectors: Detectors) {
    this.#sink = sink
    this.#detectors = detectors
  }

  /** A call in another format may have begun, so the text is held back. */
  get isHeld(): boolean {
    return this.#call !== undefined
  }

  /** The held text began with a marker. */
  get isMarked(): boolean {
    return this.#call?.isMarked ?? false
  }

  /** A call may start here, because none has begun or the last one is complete. */
  get takesCalls(): boolean {
    return !this.#isOver && (this.#call?.awaitsNext ?? true)
  }

  /** No call is being read, so control tokens around the text may occur here. */
  get takesFrames(): boolean {
    return this.isMessage || (this.#call?.isWhole ?? true)
  }

  /** A marked call has begun, or a call without a marker is complete. */
  get hasCall(): boolean {
    return !this.#isOver && (this.isMarked || (this.#call?.isWhole ?? false))
  }

  /** The held text contains a complete call. */
  get isWhole(): boolean {
    return this.#call?.isClosed ?? false
  }

  /** The held text is a harmony message. */
  get isMessage(): boolean {
    return this.#header !== undefined
  }

  /** The position is inside a value of the call, where marks are content. */
  get isInsideValue(): boolean {
    return this.#call?.isInsideValue ?? false
  }

  /** The position is inside a value of a marked call, which is never text. */
  get isInsideMarked(): boolean {
    return this.isMarked && this.isInsideValue
  }

  text(delta: string): void {
    if (delta === '') return
    if (this.#call) this.#held.push(delta)
    else this.#show(delta)
  }

  /** Starts a call that begins with the next text. */
  beginCall(matcher: ConstructMatcher): void {
    this.#start = this.#held.length
    this.#skipped = 0
    if (this.#call) return this.#call.restart(matcher)
    const { foreign, quotations } = this.#detectors
    if (this.#messages.length === 0) this.#before = quotations?.clone()
    this.#call = foreign?.pendingCall(matcher, quotations !== undefined || this.#hasText)
  }

  /** Starts a harmony message to a function, or to the person. `written`: its header. */
  beginMessage(recipient: string | undefined, written: string): void {
    if (this.#header !== undefined) this.#messages.push(this.#message)
    else if (recipient === undefined) this.showHeld()
    else this.#keepUnmarked()
    this.#drop()
    this.#separateNext = recipient === undefined
    const { foreign } = this.#detectors
    if (recipient === undefined || !foreign) return
    this.beginCall(foreign.messageMatcher())
    this.#header = `<|channel|>commentary to=${recipient} <|constrain|>json<|message|>`
    this.text(written)
  }

  /**
   * Treats all further text as not the model's own. A closer without an opener undoes this, because the calls were
   * reasoning.
   */
  endCalls(): void {
    this.#isOver = true
  }

  /** Confirms the held text as a call, regardless of the text after it. */
  finishCall(): void {
    this.#call?.finish()
  }

  /** Feeds the next character of the call. `window` returns the call's text that isn't in `#held` yet. */
  feed(code: number, fenced: boolean, window: () => string): void {
    if (this.#isOver) return
    let state = this.#call?.feed(code, fenced)
    if (state === 'complete') {
      const held = this.#held.slice(this.#start).join('') + window()
      const construct = held.slice(this.#skipped).replace(/^[\s;]+/, '')
      if (this.#sink.isCall(construct)) {
        this.#call?.confirm()
        this.#start = this.#held.length
        this.#skipped = window().length
      } else state = 'text'
    }
    if (state === 'text') this.showHeld()
  }

  trimNext(): void {
    this.#trimNext = true
  }

  /** Ends reasoning. Except in native mode, this also ends the line, so held text continues on the next line. */
  endThought(): void {
    this.#trimNext = true
    if (!this.#call || this.#detectors.quotations) return
    this.#held.push('\n')
    this.feed(newline, false, () => '')
  }

  /** Handles a found block. Messages to functions before it are calls; other held text is shown. */
  beginBlock(): void {
    if (this.isMessage || this.#messages.length > 0) this.#sink.onIgnored(this.end() ?? '')
    this.#messages.length = 0
    this.showHeld()
    this.#isOver = true
  }

  /** Shows the held text. */
  showHeld(): void {
    const text = this.#header === undefined ? this.#held.join('') : ''
    this.#drop()
    this.#show(text)
  }

  /** Treats all text so far as reasoning, including its calls. */
  forgetCalls(): void {
    this.#isOver = false
    this.showHeld()
    this.#messages.length = 0
    this.#showUnmarked()
  }

  /**
   * Ends the output: the held text is calls or text. If the text contains the end of reasoning, returns the part from
   * there, to be read again.
   */
  end(): string | undefined {
    const messages = this.#messages.join('\n')
    const held = this.#held.join('')
    const isMessage = this.isMessage
    const source = isMessage ? this.#message : held
    // A message with only a header has no text to show.
    const isCut = source === this.#header
    this.#drop()
    const prefix = messages === '' ? '' : `${messages}\n`
    let found: CallsFound = source === '' ? 'text' : this.#readCalls(prefix + source)
    // Text after a message to a function doesn't invalidate earlier messages.
    if (found === 'text' && isMessage && messages !== '' && this.#unmarked.size === 0)
      found = this.#readMessages(prefix + source, prefix.length)
    if (found === 'calls') return undefined
    if (found !== 'text') {
      if (!isMessage) this.#held = [(prefix + source).slice(prefix.length, found.thoughtEnd)]
      return (prefix + source).slice(found.thoughtEnd)
    }
    const marked = this.#messages.filter((text) => !this.#unmarked.has(text)).join('\n')
    if (messages !== '' && (source !== '' || this.#readCalls(messages) === 'text')) {
      this.#showUnmarked()
      if (marked !== '' && this.#readCalls(marked) === 'text') this.#sink.onIgnored(marked)
    }
    if (!isCut) this.#show(held)
    return undefined
  }

  /** Keeps a call without a marker before a message. */
  #keepUnmarked(): void {
    if (!this.#call) return
    const text = this.#held.join('')
    this.#messages.push(text)
    this.#unmarked.add(text)
  }

  #showUnmarked(): void {
    for (const text of this.#unmarked) this.#show(text)
    this.#unmarked.clear()
  }

  get #message(): string {
    return (this.#header ?? '') + this.#held.slice(1).join('').trimStart()
  }

  #readCalls(text: string): CallsFound {
    const show = (prose: string): void => this.#show(prose)
    return this.#sink.readCalls(text, { quotations: this.#before, show })
  }

  /** Reads messages to functions, with text after the last one. */
  #readMessages(text: string, lastStart: number): CallsFound {
    const end = endOfMessage(text)
    const found = end > lastStart ? this.#readCalls(text.slice(0, end)) : 'text'
    if (found === 'calls') this.#show(text.slice(end))
    return found === 'calls' ? found : 'text'
  }

  #drop(): void {
    this.#call = undefined
    this.#header = undefined
    this.#held = []
  }

  #show(text: string): void {
    let delta = this.#trimNext || this.#separateNext ? text.trimStart() : text
    if (delta === '') return
    if (this.#separateNext && this.#hasText) delta = `\n\n${delta}`
    this.#trimNext = false
    this.#separateNext = false
    this.#hasText ||= skipBlank(delta) !== ''
    this.#sink.onText(delta)
  }
}
