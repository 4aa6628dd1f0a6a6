import type { BlockOutcome, Opener, PendingBlock } from '../pending-block.ts'
import { bracket, dash, isBlank, isTagStart, lessThan, moreThan, newline } from '../char-codes.ts'
import { CodeContext, letter } from '../code-tracker.ts'
import {
  type Header,
  isCutFrame,
  matchCloser,
  matchEnding,
  matchFrame,
  matchHeader,
  matchReplyStart,
} from './frames.ts'
import { type Detectors, ReplyBuffer, type Sink } from './reply-buffer.ts'
import {
  Fence,
  lookForBlock,
  lookForCall,
  type Mark,
  mayStartMark,
  type ScanState,
  type Scan,
  ScanWindow,
} from './scan-state.ts'
import { matchReasoning, type ReasoningEnd } from './reasoning-marks.ts'
import { startsHallucination, startsOthersTurn } from '../made-up.ts'

const comment = '<!--'

type MarkMatch = Mark | 'partial' | undefined

/** Text of the reply. Every mark counts here, except in inline code, which the machine's `CodeContext` tracks. */
class Prose implements ScanState {
  readonly name = 'prose'
  readonly #scan: Scan
  /** Only white space was read so far. */
  #isFirst = true
  /** A control token began a line, so the model writes such tokens around its messages. */
  #isFramed = false
  /** Text follows the value of a message to a function. */
  #isPastMessage = false

  constructor(scan: Scan) {
    this.#scan = scan
  }

  findMark(code: number): MarkMatch {
    const { tracker } = this.#scan.code
    const isTag = isTagStart(code)
    if (!isTag && !tracker.lineStart) return undefined
    tracker.flush()
    if (!isTag) return this.#lookForMadeUp() ?? this.#lookForHeader() ?? lookForCall(this.#scan)
    const start = mayStartMark(this.#scan.window)
    if (start === 'partial') return start
    if (!start) return code === bracket ? lookForCall(this.#scan) : undefined
    return (
      this.#lookForTag() ??
      this.#lookForStart() ??
      this.#lookForMadeUp() ??
      this.#lookForFrame(matchFrame) ??
      this.#lookForHeader() ??
      lookForCall(this.#scan) ??
      this.#lookForFrame(matchEnding)
    )
  }

  consume(code: number): ScanState {
    const { window, code: context, quotations, reply } = this.#scan
    if (!isBlank(code)) this.#isFirst = false
    if (!isBlank(code) && reply.isMessage && reply.isWhole) this.#isPastMessage = true
    // A value contains no code and no quotations.
    const { isInsideMarked } = reply
    const fed = isInsideMarked ? letter : code
    quotations?.feed(fed)
    context.feed(window.at, fed, quotations === undefined && !isInsideMarked)
    return context.tracker.fenced ? new Fence(this.#scan, this) : this
  }

  #lookForStart(): MarkMatch {
    const { text, at } = this.#scan.window
    const end = this.#isFirst ? matchReplyStart(text, at) : undefined
    return typeof end === 'number' ? { type: 'reply-start', end } : end
  }

  #lookForTag(): MarkMatch {
    const { window, code } = this.#scan
    const { text, at } = window
    const block = lookForBlock(this.#scan)
    if (block) return block
    if (text.startsWith(comment, at)) return { type: 'comment' }
    const { lineStart } = code.tracker
    const tag = matchReasoning(text, at, { opens: true, lineStart })
    return tag ?? (comment.startsWith(text.slice(at, at + 4)) ? 'partial' : undefined)
  }

  /**
   * Finds text written as somebody else. While native mode holds a call, its reader does this, since quotations aren't
   * known here.
   */
  #lookForMadeUp(): MarkMatch {
    const { window, code, reply, quotations } = this.#scan
    const { lineStart } = code.tracker
    const text = window.text.slice(window.at, window.at + 60)
    if (!reply.isHeld && reply.takesCalls && lineStart && this.#isOwn) {
      const found = startsOthersTurn(text)
      return found === true ? { type: 'others-turn' } : found || undefined
    }
    if (quotations || !reply.hasCall) return undefined
    const found = startsHallucination(text, lineStart)
    return found === true ? { type: 'made-up' } : found || undefined
  }

  #lookForHeader(): MarkMatch {
    const { window, foreign, reply, quotations } = this.#scan
    if (!reply.isMessage && !reply.takesCalls) return undefined
    const isFirst = this.#isFirst && foreign !== undefined
    const header = matchHeader(window.text, window.at, isFirst)
    if (typeof header !== 'object') return header
    // Text after a message may quote a call. However, a text message there ends the message.
    const isText = header.kind !== 'call' && reply.isMessage
    if (!isText && !this.#isOwn) {
      quotations?.quoteCall(undefined)
      return undefined
    }
    this.#isFramed = true
    this.#isPastMessage = false
    return header.kind === 'call' && !foreign ? undefined : { type: 'message', header }
  }

  /**
   * Finds control tokens around messages. A token inside a line ends nothing if the model writes no such tokens
   * elsewhere (Q2).
   */
  #lookForFrame(match: (text: string, at: number) => MarkMatch): MarkMatch {
    const { window, reply, quotations } = this.#scan
    if (!reply.takesFrames || quotations?.quotesFrames) return undefined
    const frame = match(window.text, window.at)
    if (typeof frame !== 'object' || frame.type !== 'frame') return frame
    this.#isFramed ||= this.#isOwn
    return { ...frame, endsLine: this.#isFramed }
  }

  /** Returns whether a mark here is the model's own and not quoted (Q2). */
  get #isOwn(): boolean {
    const { code, quotations, reply } = this.#scan
    if (!quotations || (reply.isMessage && !this.#isPastMessage)) return true
    return !quotations.isQuoted && (code.tracker.lineStart || quotations.endsSentence)
  }
}

/** Maximum reasoning closers without an opener in one output. If there are more, no call runs. */
const maxThoughts = 8
/** Maximum length of a mark. Longer text is no mark. */
const maxMark = 600
/** Longer pieces are read in parts of this length, so that the held-back text stays short. */
const maxPiece = 4096

export interface MachineOptions extends Detectors {
  /** The output starts inside reasoning. */
  readonly inReasoning: boolean
}

/**
 * Splits a model's output into text, reasoning, calls in other formats and the first block (R1–R6), holding
 * back only what could still become a mark, or a fence line right before one. Tracks two states at once:
 *
 * ```text
 * where the text stands (`ScanState`)                     what becomes of it (`ReplyBuffer`)
 *
 *  ┌─────────┐ fence line ┌───────┐                            a call may start
 *  │  prose  │ ─────────► │ fence │                   ┌───────┐ ─────────► ┌──────┐ ─┐ another
 *  │         │ ◄───────── └───────┘                   │ shown │            │ held │  │ call
 *  │         │  its end                               └───────┘ ◄───────── └──────┘ ◄┘
 *  │         │   `<!--`   ┌─────────┐                           it was text   │
 *  │         │ ─────────► │ comment │                                         ▼ the output ends
 *  │         │ ◄───────── └─────────┘                                     calls, or text
 *  │         │   `-->`
 *  │         │ `<think>`… ┌─────────┐
 *  │         │ ─────────► │ thought │
 *  └─────────┘ ◄───────── └─────────┘
 *               `</think>`…
 *
 *  in any of these places, at an opener:
 *
 *  ┌───────┐ closed, and it counts   ┌────────────────┐ a lone `</think>`:
 *  │ block │ ──────────────────────► │ prose, ignored │ ─────────────────► prose, shown
 *  └───────┘                         └────────────────┘ the block was a thought
 *      └───► back, as text
 * ```
 *
 * A state finds the marks that count in it (`findMark`) and consumes all other characters (`consume`). `#applyMark`
 * applies the transition of a mark. Whether a mark is in inline code is known at the end of its line: `CodeContext`
 * holds it back, and the scan returns to it.
 */
export class OutputMachine {
  readonly #sink: Sink
  readonly #scan: Scan
  readonly #window = new ScanWindow()
  readonly #code = new CodeContext()
  readonly #reply: ReplyBuffer
  readonly #prose: Prose
  #state: ScanState
  #block: PendingBlock | undefined
  /**
   * A block or complete calls were found. Further text is ignored, unless a closer shows that the calls were reasoning.
   */
  #isAfterCalls = false
  /** The model writes as somebody else, so a block is text. */
  #isOthersTurn = false
  #isOver = false

  constructor(sink: Sink, { inReasoning, ...detectors }: MachineOptions) {
    this.#sink = sink
    this.#reply = new ReplyBuffer(sink, detectors)
    this.#scan = { ...detectors, window: this.#window, code: this.#code, reply: this.#reply }
    this.#prose = new Prose(this.#scan)
    this.#state = inReasoning ? new Thought(this.#scan, 'prompt') : this.#prose
  }

  push(piece: string): void {
    for (let at = 0; at < piece.length; at += maxPiece) {
      this.#window.push(piece.slice(at, at + maxPiece))
      this.#run(false)
    }
  }

  /** Emits the held-back text. */
  emitHeld(): void {
    this.#emit(this.#window.text.length)
    this.#reply.showHeld()
  }

  /** Ends the output: the rest is a block, text or a cut opener. */
  end(): void {
    this.#run(true)
    if (this.#state instanceof Thought && !this.#isAfterCalls) this.#reportCalls(this.#state)
    let rest = this.#reply.end()
    for (let count = 0; rest !== undefined && count < maxThoughts; count++) {
      // Text that looked like a value contains the end of reasoning (R5).
      this.#isOver = false
      this.#state = this.#prose
      this.#code.restart()
      this.#window.push(rest)
      this.#run(true)
      rest = this.#reply.end()
    }
    this.#sink.onIgnored(rest ?? '')
  }

  #run(final: boolean): void {
    while (!this.#isOver)
      if (!(this.#block ? this.#readBlock(this.#block, final) : this.#readText(final))) return
    this.#sink.onIgnored(this.#window.cut(this.#window.text.length))
  }

  /** Takes a step in a block. Returns false if more input is needed. */
  #readBlock(block: PendingBlock, final: boolean): boolean {
    const outcome =
      block.push(this.#window.cut(this.#window.text.length)) ??
      (final ? block.end(this.#sink) : undefined)
    if (outcome) this.#leaveBlock(outcome)
    return outcome !== undefined
  }

  /** Takes a step in text. Returns false if more input is needed, or everything is read. */
  #readText(final: boolean): boolean {
    const window = this.#window
    const { at, code } = window
    if (code === undefined && !final) return this.#releaseText()
    const rescanPosition = this.#code.dueMarker(at, code)
    if (rescanPosition !== undefined) {
      window.at = rescanPosition
      return true
    }
    if (code === undefined) {
      this.#code.dropFence()
      this.#isOver = true
      return this.#releaseText()
    }
    const mark = this.#findMark(code)
    if (mark === 'partial') {
      if (!final) return this.#releaseText()
      if (this.#dropCut()) return true
    } else if (mark && this.#code.tracker.inRun)
      this.#code.holdMarker(at, mark.type.startsWith('thought'))
    else if (mark) {
      this.#applyMark(mark)
      return true
    }
    this.#takeCharacter(code)
    return true
  }

  #findMark(code: number): Mark | 'partial' | undefined {
    if (isBlank(code) || this.#code.isMarkerPending || this.#reply.isInsideValue) return undefined
    const mark = this.#state.findMark(code)
    const { text, at } = this.#window
    return mark === 'partial' && text.length - at > maxMark ? undefined : mark
  }

  #takeCharacter(code: number): void {
    const isReply = this.#state.name !== 'reasoning'
    this.#state = this.#state.consume(code)
    const at = ++this.#window.at
    if (isReply && this.#reply.isHeld)
      this.#reply.feed(code, this.#code.tracker.fenced, () => this.#window.text.slice(0, at))
  }

  /** Applies the transition of a mark at the window's position. */
  #applyMark(mark: Mark): void {
    const { at } = this.#window
    switch (mark.type) {
      case 'comment':
        this.#state = new Comment(this.#scan, this.#prose)
        return this.#takeCharacter(lessThan)
      case 'call':
        this.#emit(this.#code.fenceStart ?? at)
        this.#code.dropFence()
        return this.#reply.beginCall(mark.matcher)
      case 'block':
        return this.#enterBlock(mark.opener)
      case 'thought':
        return this.#enterThought(mark.end, { closer: mark.closer })
      case 'thought-end':
        return this.#leaveThought(mark.end)
      case 'message':
        return this.#enterMessage(mark.header)
      case 'reply-start':
        this.#drop(mark.end)
        return this.#reply.trimNext()
      case 'frame':
        return mark.endsLine ? this.#drop(mark.end) : this.#cut(mark.end)
      case 'turn-end':
        this.#emit(at)
        this.#isOver = true
        return
      case 'others-turn':
        this.#isOthersTurn = true
        return this.#reply.endCalls()
      case 'made-up':
        this.#emit(at)
        this.#isAfterCalls = true
        return this.#reply.endCalls()
      default:
        mark satisfies never
    }
  }

  #enterThought(end: number, opening: Opening): void {
    const isRepeated = this.#state instanceof Thought
    if (!isRepeated) this.#code.beginReasoning()
    this.#cut(end)
    this.#code.restart()
    this.#state = new Thought(this.#scan, isRepeated ? 'prompt' : opening)
  }

  #leaveThought(end: number): void {
    const isLone = !(this.#state instanceof Thought)
    this.#drop(end)
    this.#state = this.#prose
    // Q2: if the beginning of a line is quoted, the rest is also quoted. Restores the line's state from before the
    // reasoning.
    if (!isLone && this.#scan.quotations) this.#code.endReasoning()
    if (isLone) {
      this.#isAfterCalls = false
      this.#isOthersTurn = false
      this.#reply.forgetCalls()
      this.#sink.onLoneCloser()
    }
    this.#reply.endThought()
  }

  /** Enters a harmony message. */
  #enterMessage(header: Header): void {
    const { at, text } = this.#window
    if (header.kind === 'thought') return this.#enterThought(header.end, 'header')
    const written = text.slice(at, header.end)
    this.#drop(header.end)
    if (header.kind === 'turn') this.#isOver = true
    else if (!this.#isAfterCalls && !(this.#isOthersTurn && header.kind === 'call'))
      this.#reply.beginMessage(header.kind === 'call' ? header.recipient : undefined, written)
  }

  #enterBlock(opener: Opener): void {
    const window = this.#window
    const fenceStart = this.#code.leaveFence()
    const aloneInFence = fenceStart !== undefined
    const start = fenceStart ?? window.at
    this.#emit(start)
    const before = window.cut(opener.end - start)
    const state = this.#state
    const context = state.name
    const thought = state instanceof Thought && { endsThought: state.endsAt }
    this.#block = this.#scan.blocks?.pendingBlock({
      context,
      opener,
      aloneInFence,
      before,
      ...thought,
    })
    this.#code.dropFence()
    if (aloneInFence && context === 'fence') this.#state = this.#prose
  }

  #leaveBlock(outcome: BlockOutcome): void {
    this.#block = undefined
    if ('text' in outcome) return this.#window.unread(outcome.text, outcome.rest)
    if (this.#isOthersTurn) return this.#window.unread(outcome.written, outcome.rest)
    this.#window.push(outcome.rest)
    if (this.#isAfterCalls) return this.#sink.onIgnored(outcome.written)
    this.#reply.beginBlock()
    this.#sink.onBlock(outcome.block)
    this.#state = this.#prose
    this.#code.restart()
    this.#isAfterCalls = true
  }

  /** R6: drops an opener or tag cut off by the end of the output, except a very short one. */
  #dropCut(): boolean {
    const { text, at } = this.#window
    const cutText = text.slice(at)
    const state = this.#state
    const { fenceStart } = this.#code
    const isCode = state.name === 'comment' || (state.name === 'fence' && fenceStart === undefined)
    if (isCode || this.#code.tracker.inRun) return false
    const isLong = cutText.length >= 4 || /^<[|｜]/.test(cutText) || this.#reply.isMessage
    const isFrame =
      isLong &&
      (state instanceof Thought ? state.isCutMark : isCutFrame(cutText, this.#scan.foreign))
    const isOpener =
      cutText.length >= 4 && isTagStart(cutText.charCodeAt(0)) && state.name !== 'reasoning'
    if (!isFrame && (!isOpener || this.#reply.isHeld)) return false
    this.#emit(fenceStart ?? at)
    if (!isFrame && !this.#isAfterCalls) this.#sink.onCutOpener(this.#window.cut(text.length))
    this.#isOver = true
    return true
  }

  /**
   * Reports calls in reasoning that never ended. They don't run, but the user of the scanner should know about them.
   */
  #reportCalls(thought: Thought): void {
    for (const text of thought.calls()) if (this.#sink.onCallInReasoning(text)) return
  }

  /** Emits the text before a mark, and drops the mark. The following text starts a new line. */
  #drop(end: number): void {
    this.#cut(end)
    this.#code.restart()
    if (this.#state.name === 'prose') this.#scan.quotations?.feed(newline)
  }

  #cut(end: number): void {
    const { at } = this.#window
    this.#emit(at)
    const mark = this.#window.cut(end - at)
    if (this.#isAfterCalls) this.#sink.onIgnored(mark)
  }

  /** Emits text that need not be held back. */
  #releaseText(): false {
    this.#emit(this.#code.release(this.#window.at))
    return false
  }

  #emit(until: number): void {
    const text = this.#window.cut(until)
    if (text === '') return
    if (this.#isAfterCalls) return this.#sink.onIgnored(text)
    if (!(this.#state instanceof Thought)) return this.#reply.text(text)
    this.#state.keep(text)
    this.#sink.onReasoning(text)
  }
}

/**
 * An HTML comment. All marks in a comment are ignored, except a block that ends the output in an unclosed comment (R3).
 */
class Comment implements ScanState {
  readonly name = 'comment'
  readonly #scan: Scan
  readonly #prose: ScanState
  #dashes = 0

  constructor(scan: Scan, prose: ScanState) {
    this.#scan = scan
    this.#prose = prose
  }

  findMark(code: number): Mark | 'partial' | undefined {
    if (code !== lessThan || this.#scan.reply.isWhole) return undefined
    this.#scan.code.tracker.flush()
    return lookForBlock(this.#scan)
  }

  consume(code: number): ScanState {
    const { window, code: context, quotations } = this.#scan
    const isOver = code === moreThan && this.#dashes >= 2
    this.#dashes = code === dash ? this.#dashes + 1 : 0
    if (!context.tracker.fenced) quotations?.feed(code)
    context.feed(window.at, code, false)
    if (!isOver) return this
    return context.tracker.fenced ? new Fence(this.#scan, this.#prose) : this.#prose
  }
}

/** Maximum number of remembered positions in reasoning where a call may start. */
const maxCalls = 8

/** How the reasoning was opened: by a tag with its closer, a header of harmony, or the prompt's template. */
type Opening = { readonly closer: string } | 'header' | 'prompt'

/** Reasoning. The only marks read are the end of the reasoning and a block that ends the output (R5). */
class Thought implements ScanState {
  readonly name = 'reasoning'
  readonly #scan: Scan
  readonly #opening: Opening
  /** Only white space so far. If the prompt opened the reasoning, an opening tag here is a repetition. */
  #isFirst = true
  readonly #pieces: string[] = []
  #length = 0
  readonly #calls: number[] = []

  constructor(scan: Scan, opening: Opening) {
    this.#scan = scan
    this.#opening = opening
  }

  findMark(code: number): Mark | 'partial' | undefined {
    const { tracker } = this.#scan.code
    const isTag = isTagStart(code)
    if (!isTag && !tracker.lineStart) return undefined
    tracker.flush()
    const start = !isTag || mayStartMark(this.#scan.window)
    if (start !== true) return start || undefined
    const mark = isTag ? this.#lookForMark(tracker.lineStart) : undefined
    if (typeof mark === 'object' && mark.type === 'block') this.#remember()
    return mark ?? (this.#lookForCall() ? 'partial' : undefined)
  }

  consume(code: number): ScanState {
    const { window, code: context } = this.#scan
    if (!isBlank(code)) this.#isFirst = false
    context.feed(window.at, code, false)
    return this
  }

  /** The text at the window's position may become the end of the reasoning, or a repeated opener. */
  get isCutMark(): boolean {
    return this.#lookForMark(this.#scan.code.tracker.lineStart) === 'partial'
  }

  /** Adds text of the reasoning that was emitted. */
  keep(text: string): void {
    this.#pieces.push(text)
    this.#length += text.length
  }

  /** Yields the texts in the reasoning that may start with a call. */
  *calls(): Iterable<string> {
    const text = this.#pieces.join('')
    for (const at of this.#calls) yield text.slice(at)
  }

  #lookForMark(lineStart: boolean): Mark | 'partial' | undefined {
    const { text, at } = this.#scan.window
    const block = lookForBlock(this.#scan)
    if (block) return block
    const opens = this.#opening === 'prompt' && this.#isFirst
    return this.#matchTag(text, at, { opens, lineStart })
  }

  /** Returns whether the reasoning ends at a position. */
  readonly endsAt: ReasoningEnd = (text, at) => {
    const mark = this.#matchTag(text, at, { opens: false, lineStart: false })
    return mark === 'partial' ? mark : mark !== undefined
  }

  #matchTag(
    text: string,
    at: number,
    options: { readonly opens: boolean; readonly lineStart: boolean },
  ): Mark | 'partial' | undefined {
    const opening = this.#opening
    const closer = typeof opening === 'object' ? opening.closer : undefined
    const tag = matchReasoning(text, at, { ...options, ...(closer && { closer }) })
    return typeof tag === 'object' || opening !== 'header' ? tag : (matchMessage(text, at) ?? tag)
  }

  /** Remembers the position if a call may start there. Returns true if that depends on more input. */
  #lookForCall(): boolean {
    const { window, code, foreign } = this.#scan
    if (code.tracker.inRun) return false
    const { text, at } = window
    const { lineStart } = code.tracker
    const call = foreign?.match(text, { at, lineStart, quotations: undefined })
    if (typeof call === 'object') this.#remember()
    return call === 'partial'
  }

  #remember(): void {
    const position = this.#length + this.#scan.window.at
    if (this.#calls.length < maxCalls && position > (this.#calls.at(-1) ?? -1))
      this.#calls.push(position)
  }
}

/** Matches the end of a harmony message: its closer, or the start of the next message. */
function matchMessage(text: string, at: number): Mark | 'partial' | undefined {
  const closer = matchCloser(text, at)
  if (closer !== undefined)
    return closer === 'partial' ? closer : { type: 'thought-end', end: closer }
  const header = matchHeader(text, at, false)
  return typeof header === 'object' ? { type: 'thought-end', end: at } : header
}
