/* oxlint-disable max-lines -- one state machine: all of its states share what is held back. */
import type { BlockCapture, BlockStart, CaptureContext } from './block-capture.ts'
import { CodeTracker } from './code-tracker.ts'
import type { ForeignHold } from './foreign/foreign-hold.ts'
import type { ForeignStart } from './foreign/foreign-start.ts'
import type { Trial } from './foreign/trials.ts'
import type { FoundBlock, ProseOptions, ProseSink } from './prose-sink.ts'
import type { Place } from './place.ts'
import { matchTag } from './think-tags.ts'
import type { TagMark } from './think-tags.ts'
import type { Opener } from './openers.ts'

/** No inline code is this long: past it, an open backtick run doesn't hold a marker back any more. */
const doubtLimit = 2000
const fenceLineLimit = 200
const lessThan = 60
const newline = 10
const bracket = 91

type Mark =
  | { readonly type: 'foreign'; readonly trial: Trial }
  | { readonly type: 'opener'; readonly opener: Opener }
  | TagMark

/**
 * Splits a model's output into text, reasoning and the first block (R1–R6), holding back only what
 * could still become a marker, or a fence line right before one.
 */
export class ProseScanner {
  readonly #sink: ProseSink
  readonly #blocks: BlockStart | undefined
  readonly #foreign: ForeignStart | undefined
  /** Where the line stands; absent when calls count wherever they stand. */
  readonly #place: Place | undefined
  /** A call in another format that has begun: the text is held back. */
  #hold: ForeignHold | undefined
  #mode: 'scan' | 'capture' | 'trailing' | 'done' = 'scan'
  #reasoning: boolean
  /** Nothing but white space of the reasoning was seen yet: an opening tag there only repeats the prompt's. */
  #reasoningStart: boolean
  #comment = false
  #dashes = 0
  #held = ''
  #at = 0
  #tracker = new CodeTracker()
  /** A marker after an unclosed backtick run, and the state there. */
  #doubt: { readonly at: number; readonly tracker: CodeTracker } | undefined
  /** A fence line that a block may follow directly. */
  #fence: { readonly at: number; readonly tracker: CodeTracker } | undefined
  /** Openers before this position were found to be text. */
  #plainUntil = 0
  #capture: BlockCapture | undefined
  /** What becomes text again should the captured block be none: the fence line and the opener. */
  #before = ''
  #trailing = ''

  constructor(sink: ProseSink, options: ProseOptions) {
    this.#sink = sink
    this.#reasoning = options.reasoning
    this.#reasoningStart = options.reasoning
    this.#blocks = options.blocks
    this.#foreign = options.foreign
    this.#place = options.place
  }

  push(piece: string): void {
    if (this.#mode === 'done') return this.#sink.ignored(piece)
    if (this.#mode === 'trailing') return this.#follow(piece)
    if (this.#mode === 'capture') return this.#collect(piece)
    this.#held += piece
    this.#scan(false)
  }

  /** Gives out what was held back of the text. */
  release(): void {
    this.#emit(this.#held)
    this.#held = ''
  }

  /** The output is over: what is left is a block, text or a cut opener. */
  end(): void {
    do {
      if (this.#mode === 'scan') this.#scan(true)
      else if (this.#mode !== 'done') this.#endCapture()
    } while (this.#mode !== 'done')
  }

  #scan(final: boolean): void {
    let at = this.#at
    while (this.#mode === 'scan') {
      if (at >= this.#held.length) {
        if (!final || !this.#endsInDoubt()) break
        at = this.#settleDoubt()
        continue
      }
      const code = this.#held.charCodeAt(at)
      if (this.#doubt && (code === newline || at - this.#doubt.at > doubtLimit)) {
        at = this.#settleDoubt()
        continue
      }
      const mark = this.#doubt ? undefined : this.#mark(at, code)
      if (mark === 'partial') {
        if (!final) break
        if (this.#dropCut(at)) return
      } else if (mark && this.#tracker.inRun) {
        this.#doubt = { at, tracker: this.#tracker.clone() }
      } else if (mark?.type === 'foreign') {
        at = this.#startForeign(at, mark.trial)
      } else if (mark) {
        at = this.#take(at, mark)
        continue
      }
      this.#feed(at, code)
      at++
      if (this.#hold) this.#judge(at, code)
    }
    if (this.#mode !== 'scan') return
    if (final) this.#fence = undefined
    this.#release(at)
    if (final) this.#mode = 'done'
  }

  /** R6: an opener or tag cut off by the end of the output is never shown, unless it is very short. */
  #dropCut(at: number): boolean {
    const cut = this.#held.slice(at)
    if (cut.length < 4 || !/^[<[]/.test(cut) || this.#tracker.inRun || this.#hold) return false
    const isThink = /^<\/?thi/.test(cut)
    if (this.#comment || (this.#tracker.fenced && !this.#fence)) return false
    this.#emit(this.#held.slice(0, this.#fence?.at ?? at))
    this.#mode = 'done'
    if (isThink || this.#reasoning) this.#sink.ignored(cut)
    else this.#sink.cutOpener(cut)
    return true
  }

  #feed(at: number, code: number): void {
    const before =
      !this.#place &&
      this.#fence === undefined &&
      this.#tracker.lineStart &&
      (code === 96 || code === 126)
    if (before && !this.#tracker.fenced && !this.#reasoning && !this.#comment)
      this.#fence = { at, tracker: this.#tracker.clone() }
    this.#dashes = code === 45 ? this.#dashes + 1 : code === 62 && this.#dashes >= 2 ? -1 : 0
    if (this.#dashes === -1) this.#comment = false
    if (!this.#reasoning && !this.#tracker.fenced) this.#place?.feed(code)
    this.#tracker.feed(code)
    if (this.#doubt && code !== 96 && !this.#tracker.inRun) this.#doubt = undefined
    if (this.#fence && !this.#mayHoldFence(at, code)) this.#fence = undefined
  }

  #mayHoldFence(at: number, code: number): boolean {
    if (this.#fence && at - this.#fence.at > fenceLineLimit) return false
    return this.#tracker.mayOpenFence || (this.#tracker.fenced && code <= 32)
  }

  #mark(at: number, code: number): Mark | 'partial' | undefined {
    if (this.#hold?.shields) return undefined
    if (code === lessThan) return this.#match(at)
    if (!this.#foreign || code <= 32) return undefined
    return code === bracket || this.#tracker.lineStart ? this.#matchForeign(at) : undefined
  }

  /** R18: a call in another format, outside code unless it stands first in a fence. */
  #matchForeign(at: number): Mark | 'partial' | undefined {
    if (!this.#foreign || this.#reasoning || this.#comment) return undefined
    if (this.#hold && !this.#hold.awaitsNext) return undefined
    this.#tracker.settle()
    const { fenced, lineStart } = this.#tracker
    if (fenced && !this.#fence) return undefined
    if (this.#hold) {
      const window = this.#held.slice(at, at + 40)
      const madeUp = this.#foreign.matchMadeUp(window)
      if (madeUp === 'partial') return 'partial'
      if (madeUp) this.#hold.finish()
    }
    const trial = this.#foreign.match(this.#held, { at, lineStart, place: this.#place })
    if (trial === undefined || trial === 'partial') return trial
    if (this.#place && this.#tracker.inRun) return undefined
    return { type: 'foreign', trial: fenced ? this.#foreign.fenced() : trial }
  }

  #startForeign(at: number, trial: Trial): number {
    const hold = this.#hold
    if (hold) {
      this.#emit(this.#held.slice(0, at))
      this.#drop(at)
      this.#sink.markHold()
      hold.restart(trial)
      return 0
    }
    const start = this.#fence?.at ?? at
    this.#emit(this.#held.slice(0, start))
    this.#drop(start)
    if (this.#place) this.#sink.holdAt(this.#place.clone())
    this.#hold = this.#foreign?.hold(trial, this.#place !== undefined || this.#sink.hasText)
    return at - start
  }

  /** Follows what is held, up to `at`. */
  #judge(at: number, code: number): void {
    let verdict = this.#hold?.feed(code, this.#tracker.fenced)
    if (verdict === 'complete') {
      if (this.#sink.isCall(this.#held.slice(0, at))) this.#hold?.confirm()
      else verdict = 'text'
    }
    if (verdict !== 'text') return
    this.#hold = undefined
    this.#sink.releaseHold()
  }

  #match(at: number): Mark | 'partial' | undefined {
    this.#tracker.settle()
    const opener =
      at < this.#plainUntil
        ? undefined
        : this.#blocks?.match(this.#held, at, this.#tracker.lineStart)
    if (opener === 'partial') return 'partial'
    if (opener) return { type: 'opener', opener }
    const tag =
      this.#comment || (this.#tracker.fenced && !this.#reasoning)
        ? undefined
        : matchTag(this.#held, at, {
            reasoning: this.#reasoning,
            reasoningStart: this.#reasoningStart,
          })
    if (tag && tag !== 'partial') return tag
    return this.#matchForeign(at) ?? tag
  }

  /** Acts on a mark that counts; the position to go on from. */
  #take(at: number, mark: Exclude<Mark, { type: 'foreign' }>): number {
    if (mark.type === 'opener') return this.#startCapture(at, mark.opener)
    if (mark.type === 'comment') {
      this.#comment = true
      this.#dashes = 0
      this.#tracker.feed(lessThan)
      return at + 1
    }
    this.#emit(this.#held.slice(0, at))
    this.#drop(mark.end)
    const wasReasoning = this.#reasoning
    this.#reasoning = mark.type === 'think'
    this.#tracker = new CodeTracker()
    if (mark.type !== 'think-end') return 0
    // What stood before a lone closer was thought, the calls in it, too.
    if (this.#place && !wasReasoning) this.#hold = undefined
    this.#sink.reasoningEnd(!wasReasoning)
    return 0
  }

  #drop(until: number): void {
    this.#held = this.#held.slice(until)
    this.#plainUntil = Math.max(0, this.#plainUntil - until)
    this.#fence = undefined
    this.#at = 0
  }

  #startCapture(at: number, opener: Opener): number {
    const aloneInFence = this.#tracker.fenced && this.#fence !== undefined
    const start = aloneInFence ? (this.#fence?.at ?? at) : at
    if (aloneInFence && this.#fence) this.#tracker = this.#fence.tracker
    this.#emit(this.#held.slice(0, start))
    this.#before = this.#held.slice(start, opener.end)
    const rest = this.#held.slice(opener.end)
    this.#drop(this.#held.length)
    if (opener.selfClosing) {
      this.#finish({ content: '', tooLong: false, isClosed: true }, rest)
      return 0
    }
    const context = this.#context(aloneInFence)
    this.#capture = this.#blocks?.capture({ context, opener, aloneInFence })
    this.#mode = 'capture'
    this.#collect(rest)
    return this.#at
  }

  #context(aloneInFence: boolean): CaptureContext {
    if (this.#reasoning) return 'reasoning'
    if (this.#comment) return 'comment'
    return this.#tracker.fenced || aloneInFence ? 'fence' : 'prose'
  }

  #collect(piece: string): void {
    const capture = this.#capture
    if (!capture) return
    const rest = capture.push(piece)
    if (capture.state === 'text') return this.#uncapture(rest)
    if (capture.state === 'open') return
    if (capture.context === 'prose' || capture.state === 'too-long') return this.#found(rest)
    this.#mode = 'trailing'
    this.#trailing = ''
    this.#follow(rest)
  }

  /** After a block that counts only at the end of the output: white space, and the fence's own end. */
  #follow(piece: string): void {
    this.#trailing += piece
    if (piece.trim() === '' && this.#trailing.length > piece.length) return
    const verdict = this.#capture?.judgeTrailing(this.#trailing)
    if (verdict === 'end') this.#found(this.#trailing)
    else if (verdict === 'text') this.#uncapture(this.#trailing)
  }

  /** What was captured is text after all: it is scanned again, its openers passed over. */
  #uncapture(rest: string): void {
    const text = this.#before + (this.#capture?.written ?? '')
    this.#plainUntil = text.length
    this.#held = text + rest
    this.#at = 0
    this.#capture = undefined
    this.#mode = 'scan'
    this.#scan(false)
  }

  #found(rest: string): void {
    const capture = this.#capture
    if (!capture) return
    const { content, state } = capture
    this.#finish({ content, tooLong: state === 'too-long', isClosed: true }, rest)
  }

  #finish(block: FoundBlock, rest: string): void {
    this.#mode = 'done'
    this.#capture = undefined
    this.#sink.block(block)
    if (rest !== '') this.#sink.ignored(rest)
  }

  /** The output ended while a block was open, or right after one that counts only there. */
  #endCapture(): void {
    const capture = this.#capture
    if (!capture) return
    if (this.#mode === 'trailing') {
      return capture.isLast(this.#trailing) ? this.#found('') : this.#uncapture(this.#trailing)
    }
    const counts = capture.context === 'prose' || capture.aloneInFence
    if (!counts || (capture.isMention && !this.#sink.isForeignCall(capture.content)))
      return this.#uncapture('')
    const { content, rest } = capture.unclosed
    this.#finish({ content, tooLong: false, isClosed: false }, rest)
  }

  /** The output ended; a run that ends with it may close the one in doubt. */
  #endsInDoubt(): boolean {
    this.#tracker.settle()
    if (!this.#tracker.inRun) this.#doubt = undefined
    return this.#doubt !== undefined
  }

  /** The run was not closed on its line, so the marker counts: reading goes on from it. */
  #settleDoubt(): number {
    const doubt = this.#doubt
    if (!doubt) return this.#held.length
    this.#doubt = undefined
    this.#tracker = doubt.tracker
    this.#tracker.ignoreRunsOnLine()
    return doubt.at
  }

  #release(at: number): void {
    const until = Math.min(at, this.#doubt?.at ?? at, this.#fence?.at ?? at)
    this.#emit(this.#held.slice(0, until))
    this.#held = this.#held.slice(until)
    this.#plainUntil = Math.max(0, this.#plainUntil - until)
    this.#at = at - until
    if (this.#doubt) this.#doubt = { ...this.#doubt, at: this.#doubt.at - until }
    if (this.#fence) this.#fence = { ...this.#fence, at: this.#fence.at - until }
  }

  #emit(text: string): void {
    if (text === '') return
    if (text.trim() !== '') this.#reasoningStart = false
    if (this.#reasoning) this.#sink.reasoning(text)
    else if (this.#hold) this.#sink.hold(text)
    else this.#sink.text(text)
  }
}
