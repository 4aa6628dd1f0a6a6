import type { CaptureContext } from './block-capture.ts'
import type { Opener } from './block-opener.ts'
import { bracket, lessThan } from './char-codes.ts'
import { CodeContext } from './code-context.ts'
import type { ConstructMatcher } from './foreign/construct-matchers.ts'
import type { ForeignDetector } from './foreign/foreign-detector.ts'
import type { PendingCall } from './foreign/pending-call.ts'
import type { BlockOutcome, BlockDetector, PendingBlock } from './pending-block.ts'
import type { ProseOptions, ProseSink } from './prose-sink.ts'
import type { QuotationTracker } from './quotation-tracker.ts'
import { matchTag } from './think-tags.ts'
import type { TagMark } from './think-tags.ts'

type Mark =
  | { readonly type: 'foreign'; readonly matcher: ConstructMatcher }
  | { readonly type: 'opener'; readonly opener: Opener }
  | TagMark

/**
 * Splits a model's output into text, reasoning and the first block (R1–R6), holding back only what
 * could still become a marker, or a fence line right before one.
 */
export class ProseScanner {
  readonly #sink: ProseSink
  readonly #blocks: BlockDetector | undefined
  readonly #foreign: ForeignDetector | undefined
  /** Follows quotations; absent when calls count wherever they stand. */
  readonly #quotations: QuotationTracker | undefined
  readonly #code = new CodeContext()
  /** The block was found, or the output is over. */
  #isDone = false
  /** The block that is being read. */
  #block: PendingBlock | undefined
  /** A call in another format that has begun: the text is held back. */
  #pendingCall: PendingCall | undefined
  #reasoning: boolean
  /** Nothing but white space of the reasoning was seen yet: an opening tag there only repeats the prompt's. */
  #reasoningStart: boolean
  #held = ''
  /** Where scanning goes on in the held text. */
  #at = 0
  /** Openers before this position were found to be text. */
  #plainUntil = 0

  constructor(sink: ProseSink, options: ProseOptions) {
    this.#sink = sink
    this.#reasoning = options.reasoning
    this.#reasoningStart = options.reasoning
    this.#blocks = options.blocks
    this.#foreign = options.foreign
    this.#quotations = options.quotations
  }

  push(piece: string): void {
    if (this.#isDone) return this.#sink.ignored(piece)
    if (this.#block) return this.#applyBlock(this.#block.push(piece))
    this.#held += piece
    this.#scan(false)
  }

  /** Emits what was held back of the text. */
  release(): void {
    this.#emit(this.#held)
    this.#held = ''
  }

  /** The output is over: what is left is a block, text or a cut opener. */
  end(): void {
    do {
      if (this.#block)
        this.#applyBlock(this.#block.end((content) => this.#sink.isForeignCall(content)))
      else this.#scan(true)
    } while (!this.#isDone)
  }

  #scan(final: boolean): void {
    let at = this.#at
    while (!this.#block && !this.#isDone) {
      const code = at < this.#held.length ? this.#held.charCodeAt(at) : undefined
      if (code === undefined && !final) break
      const due = this.#code.dueMarker(at, code)
      if (due !== undefined) {
        at = due
        continue
      }
      if (code === undefined) break
      const mark = this.#code.isMarkerPending ? undefined : this.#mark(at, code)
      if (mark === 'partial') {
        if (!final) break
        if (this.#dropCut(at)) return
      } else if (mark && this.#code.tracker.inRun) {
        this.#code.holdMarker(at)
      } else if (mark?.type === 'foreign') {
        at = this.#startForeign(at, mark.matcher)
      } else if (mark) {
        at = this.#take(at, mark)
        continue
      }
      this.#feed(at, code)
      at++
      if (this.#pendingCall) this.#classifyHeld(at, code)
    }
    if (this.#block || this.#isDone) return
    if (final) this.#code.dropFence()
    this.#release(at)
    this.#isDone = final
  }

  /** R6: an opener or tag cut off by the end of the output is never shown, unless it is very short. */
  #dropCut(at: number): boolean {
    const cut = this.#held.slice(at)
    if (cut.length < 4 || !/^[<[]/.test(cut) || this.#code.tracker.inRun || this.#pendingCall)
      return false
    const isThink = /^<\/?thi/.test(cut)
    const { fenceStart } = this.#code
    if (this.#code.isComment || (this.#code.tracker.fenced && fenceStart === undefined))
      return false
    this.#emit(this.#held.slice(0, fenceStart ?? at))
    this.#isDone = true
    if (isThink || this.#reasoning) this.#sink.ignored(cut)
    else this.#sink.cutOpener(cut)
    return true
  }

  #feed(at: number, code: number): void {
    if (!this.#reasoning && !this.#code.tracker.fenced) this.#quotations?.feed(code)
    this.#code.feed(at, code, !this.#quotations && !this.#reasoning)
  }

  #mark(at: number, code: number): Mark | 'partial' | undefined {
    if (this.#pendingCall?.isInsideValue) return undefined
    if (code === lessThan) return this.#match(at)
    if (!this.#foreign || code <= 32) return undefined
    return code === bracket || this.#code.tracker.lineStart ? this.#matchForeign(at) : undefined
  }

  /** R18: a call in another format, outside code unless it stands first in a fence. */
  #matchForeign(at: number): Mark | 'partial' | undefined {
    if (!this.#foreign || this.#reasoning || this.#code.isComment) return undefined
    if (this.#pendingCall && !this.#pendingCall.awaitsNext) return undefined
    this.#code.tracker.flush()
    const { fenceStart, tracker } = this.#code
    const { fenced, lineStart } = tracker
    if (fenced && fenceStart === undefined) return undefined
    if (this.#pendingCall) {
      const window = this.#held.slice(at, at + 40)
      const madeUp = this.#foreign.matchMadeUp(window)
      if (madeUp === 'partial') return 'partial'
      if (madeUp) this.#pendingCall.finish()
    }
    const matcher = this.#foreign.match(this.#held, { at, lineStart, quotations: this.#quotations })
    if (matcher === undefined || matcher === 'partial') return matcher
    if (this.#quotations && this.#code.tracker.inRun) return undefined
    return { type: 'foreign', matcher: fenced ? this.#foreign.fenced() : matcher }
  }

  #startForeign(at: number, matcher: ConstructMatcher): number {
    const pending = this.#pendingCall
    if (pending) {
      this.#emit(this.#held.slice(0, at))
      this.#drop(at)
      this.#sink.markHold()
      pending.restart(matcher)
      return 0
    }
    const start = this.#code.fenceStart ?? at
    this.#emit(this.#held.slice(0, start))
    this.#drop(start)
    if (this.#quotations) this.#sink.holdAt(this.#quotations.clone())
    this.#pendingCall = this.#foreign?.open(
      matcher,
      this.#quotations !== undefined || this.#sink.hasText,
    )
    return at - start
  }

  /** Classifies what is held, up to `at`. */
  #classifyHeld(at: number, code: number): void {
    let state = this.#pendingCall?.feed(code, this.#code.tracker.fenced)
    if (state === 'complete') {
      if (this.#sink.isCall(this.#held.slice(0, at))) this.#pendingCall?.confirm()
      else state = 'text'
    }
    if (state !== 'text') return
    this.#pendingCall = undefined
    this.#sink.releaseHold()
  }

  #match(at: number): Mark | 'partial' | undefined {
    this.#code.tracker.flush()
    const opener =
      at < this.#plainUntil
        ? undefined
        : this.#blocks?.match(this.#held, at, this.#code.tracker.lineStart)
    if (opener === 'partial') return 'partial'
    if (opener) return { type: 'opener', opener }
    const tag =
      this.#code.isComment || (this.#code.tracker.fenced && !this.#reasoning)
        ? undefined
        : matchTag(this.#held, at, {
            reasoning: this.#reasoning,
            reasoningStart: this.#reasoningStart,
          })
    if (tag && tag !== 'partial') return tag
    return this.#matchForeign(at) ?? tag
  }

  /** Handles a mark that counts; returns where scanning goes on. */
  #take(at: number, mark: Exclude<Mark, { type: 'foreign' }>): number {
    if (mark.type === 'opener') return this.#openBlock(at, mark.opener)
    if (mark.type === 'comment') {
      this.#code.openComment()
      return at + 1
    }
    this.#emit(this.#held.slice(0, at))
    this.#drop(mark.end)
    const wasReasoning = this.#reasoning
    this.#reasoning = mark.type === 'think'
    this.#code.restart()
    if (mark.type !== 'think-end') return 0
    // The text before a lone closer was reasoning, with the calls in it.
    if (this.#quotations && !wasReasoning) this.#pendingCall = undefined
    this.#sink.reasoningEnd(!wasReasoning)
    return 0
  }

  #openBlock(at: number, opener: Opener): number {
    const fenceStart = this.#code.leaveFence()
    const aloneInFence = fenceStart !== undefined
    const start = fenceStart ?? at
    this.#emit(this.#held.slice(0, start))
    const before = this.#held.slice(start, opener.end)
    const rest = this.#held.slice(opener.end)
    this.#drop(this.#held.length)
    const context = this.#context(aloneInFence)
    const block = this.#blocks?.open({ context, opener, aloneInFence, before })
    if (!block) return this.#at
    this.#block = block
    this.#applyBlock(block.push(rest))
    return this.#at
  }

  #context(aloneInFence: boolean): CaptureContext {
    if (this.#reasoning) return 'reasoning'
    if (this.#code.isComment) return 'comment'
    return this.#code.tracker.fenced || aloneInFence ? 'fence' : 'prose'
  }

  #applyBlock(outcome: BlockOutcome | undefined): void {
    if (!outcome) return
    this.#block = undefined
    if ('block' in outcome) {
      this.#isDone = true
      this.#sink.block(outcome.block)
      if (outcome.rest !== '') this.#sink.ignored(outcome.rest)
      return
    }
    // It is scanned again, skipping its openers.
    this.#plainUntil = outcome.text.length
    this.#held = outcome.text + outcome.rest
    this.#at = 0
    this.#scan(false)
  }

  #drop(until: number): void {
    this.#held = this.#held.slice(until)
    this.#plainUntil = Math.max(0, this.#plainUntil - until)
    this.#code.dropFence()
    this.#at = 0
  }

  #release(at: number): void {
    const until = this.#code.release(at)
    this.#emit(this.#held.slice(0, until))
    this.#held = this.#held.slice(until)
    this.#plainUntil = Math.max(0, this.#plainUntil - until)
    this.#at = at - until
  }

  #emit(text: string): void {
    if (text === '') return
    if (text.trim() !== '') this.#reasoningStart = false
    if (this.#reasoning) this.#sink.reasoning(text)
    else if (this.#pendingCall) this.#sink.hold(text)
    else this.#sink.text(text)
  }
}
