import { newline, skipBlank } from '../char-codes.ts'
import type { ConstructMatcher } from '../foreign/construct-matcher.ts'
import type { PendingCall } from '../foreign/pending-call.ts'
import type { QuotationTracker } from '../quotation-tracker.ts'
import type { Detectors } from './detectors.ts'
import { endOfMessage } from './harmony.ts'
import type { CallsFound, Sink } from './sink.ts'

/**
 * What becomes of the reply's text: it is shown, or held back from where a call in another format may start. A
 * message of harmony to a function is held by itself, and is never text.
 */
export class Reply {
  readonly #sink: Sink
  readonly #detectors: Detectors
  #hasText = false
  /** White space right after reasoning, and after what stands before the reply, is layout. */
  #trimNext = false
  /** The next text is another message. */
  #separateNext = false
  #call: PendingCall | undefined
  /** What is held is a message of harmony, and this its header as it is read. */
  #header: string | undefined
  #held: string[] = []
  /** Where, in what is held, the newest construct starts: a piece, and how much of it is still of the one before. */
  #start = 0
  #skipped = 0
  /** The quotations where what is held starts. */
  #before: QuotationTracker | undefined
  /** The calls are over: what follows is none of the model's own. */
  #isOver = false
  readonly #messages: string[] = []
  /** Those of them that are none, but calls without a marker: text where they turn out to be no calls. */
  readonly #unmarked = new Set<string>()

  constructor(sink: Sink, detectors: Detectors) {
    this.#sink = sink
    this.#detectors = detectors
  }

  /** A call in another format has begun, and the text is held back. */
  get isHeld(): boolean {
    return this.#call !== undefined
  }

  /** A marker began what is held. */
  get isMarked(): boolean {
    return this.#call?.isMarked ?? false
  }

  /** A call may start: none has begun, or one is whole. */
  get takesCalls(): boolean {
    return !this.#isOver && (this.#call?.awaitsNext ?? true)
  }

  /** No call is being read: what frames the text may stand here. */
  get takesFrames(): boolean {
    return this.isMessage || (this.#call?.isWhole ?? true)
  }

  /** A marked call has begun, or another one is whole. */
  get hasCall(): boolean {
    return !this.#isOver && (this.isMarked || (this.#call?.isWhole ?? false))
  }

  /** A whole call is held. */
  get isWhole(): boolean {
    return this.#call?.isClosed ?? false
  }

  /** What is held is a message of harmony. */
  get isMessage(): boolean {
    return this.#header !== undefined
  }

  /** Inside a value of the call: what looks like a mark there is content. */
  get isInsideValue(): boolean {
    return this.#call?.isInsideValue ?? false
  }

  /** Inside the value of a call that a marker began: it is none of the text, whatever follows. */
  get isInsideMarked(): boolean {
    return this.isMarked && this.isInsideValue
  }

  text(delta: string): void {
    if (delta === '') return
    if (this.#call) this.#held.push(delta)
    else this.#show(delta)
  }

  /** A call starts with the next text. */
  beginCall(matcher: ConstructMatcher): void {
    this.#start = this.#held.length
    this.#skipped = 0
    if (this.#call) return this.#call.restart(matcher)
    const { foreign, quotations } = this.#detectors
    if (this.#messages.length === 0) this.#before = quotations?.clone()
    this.#call = foreign?.open(matcher, quotations !== undefined || this.#hasText)
  }

  /** A message of harmony starts: to a function, or text. `written`: its header. */
  beginMessage(recipient: string | undefined, written: string): void {
    if (this.#header !== undefined) this.#messages.push(this.#message)
    else if (recipient === undefined) this.release()
    else this.#keepUnmarked()
    this.#drop()
    this.#separateNext = recipient === undefined
    const { foreign } = this.#detectors
    if (recipient === undefined || !foreign) return
    this.beginCall(foreign.message())
    this.#header = `<|channel|>commentary to=${recipient} <|constrain|>json<|message|>`
    this.text(written)
  }

  /** What follows is none of the model's own, unless it shows that the calls are a thought. */
  endCalls(): void {
    this.#isOver = true
  }

  /** Whatever follows, what is held is a call. */
  finishCall(): void {
    this.#call?.finish()
  }

  /** The next character of the call; `window` is all of it that isn't held yet. */
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
    if (state === 'text') this.release()
  }

  trimNext(): void {
    this.#trimNext = true
  }

  /** A thought ended, and, but in native mode, its line with it: what is held goes on in the next one. */
  endThought(): void {
    this.#trimNext = true
    if (!this.#call || this.#detectors.quotations) return
    this.#held.push('\n')
    this.feed(newline, false, () => '')
  }

  /** A block was found: messages to functions before it are calls, what else is held is text. */
  beginBlock(): void {
    if (this.isMessage || this.#messages.length > 0) this.#sink.ignored(this.end() ?? '')
    this.#messages.length = 0
    this.release()
    this.#isOver = true
  }

  /** What is held is text. */
  release(): void {
    const text = this.#header === undefined ? this.#held.join('') : ''
    this.#drop()
    this.#show(text)
  }

  /** What was written before is a thought, with the calls in it. */
  forgetCalls(): void {
    this.#isOver = false
    this.release()
    this.#messages.length = 0
    this.#showUnmarked()
  }

  /** The output is over: what is held is calls or text. Returns what of it ends a thought, and is to be read again. */
  end(): string | undefined {
    const messages = this.#messages.join('\n')
    const held = this.#held.join('')
    const isMessage = this.isMessage
    const read = isMessage ? this.#message : held
    // Of a message without content there is nothing to show.
    const isCut = read === this.#header
    this.#drop()
    const before = messages === '' ? '' : `${messages}\n`
    let found: CallsFound = read === '' ? 'text' : this.#read(before + read)
    // What follows a message to a function takes none of those before it back.
    if (found === 'text' && isMessage && messages !== '' && this.#unmarked.size === 0)
      found = this.#readMessages(before + read, before.length)
    if (found === 'calls') return undefined
    if (found !== 'text') {
      if (!isMessage) this.#held = [(before + read).slice(before.length, found.thoughtEnd)]
      return (before + read).slice(found.thoughtEnd)
    }
    const marked = this.#messages.filter((text) => !this.#unmarked.has(text)).join('\n')
    if (messages !== '' && (read !== '' || this.#read(messages) === 'text')) {
      this.#showUnmarked()
      if (marked !== '' && this.#read(marked) === 'text') this.#sink.ignored(marked)
    }
    if (!isCut) this.#show(held)
    return undefined
  }

  /** A call without a marker stands before a message. */
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

  #read(text: string): CallsFound {
    const show = (prose: string): void => this.#show(prose)
    return this.#sink.calls(text, { quotations: this.#before, show })
  }

  /** Messages to functions, with text after the last one. */
  #readMessages(text: string, lastStart: number): CallsFound {
    const end = endOfMessage(text)
    const found = end > lastStart ? this.#read(text.slice(0, end)) : 'text'
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
    this.#sink.text(delta)
  }
}
