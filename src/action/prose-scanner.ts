import type { CaptureContext } from './block-capture.ts'
import { CodeContext } from './code-context.ts'
import type { ForeignHold } from './foreign/foreign-hold.ts'
import type { ForeignStart } from './foreign/foreign-start.ts'
import type { Trial } from './foreign/trials.ts'
import type { Opener } from './openers.ts'
import type { BlockOutcome, BlockStart, PendingBlock } from './pending-block.ts'
import type { Place } from './place.ts'
import type { ProseOptions, ProseSink } from './prose-sink.ts'
import { matchTag } from './think-tags.ts'
import type { TagMark } from './think-tags.ts'

const lessThan = 60
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
  readonly #code = new CodeContext()
  #mode: 'scan' | 'block' | 'done' = 'scan'
  /** The block that is being read, in the mode of that name. */
  #block: PendingBlock | undefined
  /** A call in another format that has begun: the text is held back. */
  #hold: ForeignHold | undefined
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
    this.#place = options.place
  }

  push(piece: string): void {
    if (this.#mode === 'done') return this.#sink.ignored(piece)
    if (this.#block) return this.#settleBlock(this.#block.push(piece))
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
        this.#settleBlock(this.#block.end((content) => this.#sink.isForeignCall(content)))
      else this.#scan(true)
    } while (this.#mode !== 'done')
  }

  #scan(final: boolean): void {
    let at = this.#at
    while (this.#mode === 'scan') {
      if (at >= this.#held.length) {
        if (!final || !this.#code.isMarkerDueAtEnd()) break
        at = this.#releaseMarker()
        continue
      }
      const code = this.#held.charCodeAt(at)
      if (this.#code.isMarkerDue(at, code)) {
        at = this.#releaseMarker()
        continue
      }
      const mark = this.#code.isMarkerPending ? undefined : this.#mark(at, code)
      if (mark === 'partial') {
        if (!final) break
        if (this.#dropCut(at)) return
      } else if (mark && this.#code.inRun) {
        this.#code.holdMarker(at)
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
    if (final) this.#code.dropFence()
    this.#release(at)
    if (final) this.#mode = 'done'
  }

  /** R6: an opener or tag cut off by the end of the output is never shown, unless it is very short. */
  #dropCut(at: number): boolean {
    const cut = this.#held.slice(at)
    if (cut.length < 4 || !/^[<[]/.test(cut) || this.#code.inRun || this.#hold) return false
    const isThink = /^<\/?thi/.test(cut)
    const { fenceStart } = this.#code
    if (this.#code.isComment || (this.#code.fenced && fenceStart === undefined)) return false
    this.#emit(this.#held.slice(0, fenceStart ?? at))
    this.#mode = 'done'
    if (isThink || this.#reasoning) this.#sink.ignored(cut)
    else this.#sink.cutOpener(cut)
    return true
  }

  #feed(at: number, code: number): void {
    if (!this.#reasoning && !this.#code.fenced) this.#place?.feed(code)
    this.#code.feed(at, code, !this.#place && !this.#reasoning)
  }

  #mark(at: number, code: number): Mark | 'partial' | undefined {
    if (this.#hold?.shields) return undefined
    if (code === lessThan) return this.#match(at)
    if (!this.#foreign || code <= 32) return undefined
    return code === bracket || this.#code.lineStart ? this.#matchForeign(at) : undefined
  }

  /** R18: a call in another format, outside code unless it stands first in a fence. */
  #matchForeign(at: number): Mark | 'partial' | undefined {
    if (!this.#foreign || this.#reasoning || this.#code.isComment) return undefined
    if (this.#hold && !this.#hold.awaitsNext) return undefined
    this.#code.settle()
    const { fenced, lineStart, fenceStart } = this.#code
    if (fenced && fenceStart === undefined) return undefined
    if (this.#hold) {
      const window = this.#held.slice(at, at + 40)
      const madeUp = this.#foreign.matchMadeUp(window)
      if (madeUp === 'partial') return 'partial'
      if (madeUp) this.#hold.finish()
    }
    const trial = this.#foreign.match(this.#held, { at, lineStart, place: this.#place })
    if (trial === undefined || trial === 'partial') return trial
    if (this.#place && this.#code.inRun) return undefined
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
    const start = this.#code.fenceStart ?? at
    this.#emit(this.#held.slice(0, start))
    this.#drop(start)
    if (this.#place) this.#sink.holdAt(this.#place.clone())
    this.#hold = this.#foreign?.hold(trial, this.#place !== undefined || this.#sink.hasText)
    return at - start
  }

  /** Follows what is held, up to `at`. */
  #judge(at: number, code: number): void {
    let verdict = this.#hold?.feed(code, this.#code.fenced)
    if (verdict === 'complete') {
      if (this.#sink.isCall(this.#held.slice(0, at))) this.#hold?.confirm()
      else verdict = 'text'
    }
    if (verdict !== 'text') return
    this.#hold = undefined
    this.#sink.releaseHold()
  }

  #match(at: number): Mark | 'partial' | undefined {
    this.#code.settle()
    const opener =
      at < this.#plainUntil ? undefined : this.#blocks?.match(this.#held, at, this.#code.lineStart)
    if (opener === 'partial') return 'partial'
    if (opener) return { type: 'opener', opener }
    const tag =
      this.#code.isComment || (this.#code.fenced && !this.#reasoning)
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
    if (mark.type === 'opener') return this.#openBlock(at, mark.opener)
    if (mark.type === 'comment') {
      this.#code.openComment(lessThan)
      return at + 1
    }
    this.#emit(this.#held.slice(0, at))
    this.#drop(mark.end)
    const wasReasoning = this.#reasoning
    this.#reasoning = mark.type === 'think'
    this.#code.restart()
    if (mark.type !== 'think-end') return 0
    // What stood before a lone closer was thought, the calls in it, too.
    if (this.#place && !wasReasoning) this.#hold = undefined
    this.#sink.reasoningEnd(!wasReasoning)
    return 0
  }

  #openBlock(at: number, opener: Opener): number {
    const { fenced, fenceStart } = this.#code
    const aloneInFence = fenced && fenceStart !== undefined
    const start = aloneInFence ? fenceStart : at
    if (aloneInFence) this.#code.leaveFence()
    this.#emit(this.#held.slice(0, start))
    const before = this.#held.slice(start, opener.end)
    const rest = this.#held.slice(opener.end)
    this.#drop(this.#held.length)
    const context = this.#context(aloneInFence)
    const block = this.#blocks?.open({ context, opener, aloneInFence, before })
    if (!block) return this.#at
    this.#block = block
    this.#mode = 'block'
    this.#settleBlock(block.push(rest))
    return this.#at
  }

  #context(aloneInFence: boolean): CaptureContext {
    if (this.#reasoning) return 'reasoning'
    if (this.#code.isComment) return 'comment'
    return this.#code.fenced || aloneInFence ? 'fence' : 'prose'
  }

  #settleBlock(outcome: BlockOutcome): void {
    if (outcome.type === 'open') return
    this.#block = undefined
    if (outcome.type === 'found') {
      this.#mode = 'done'
      this.#sink.block(outcome.block)
      if (outcome.rest !== '') this.#sink.ignored(outcome.rest)
      return
    }
    // It is scanned again, its openers passed over.
    this.#plainUntil = outcome.text.length
    this.#held = outcome.text + outcome.rest
    this.#at = 0
    this.#mode = 'scan'
    this.#scan(false)
  }

  #releaseMarker(): number {
    return this.#code.releaseMarker() ?? this.#held.length
  }

  #drop(until: number): void {
    this.#held = this.#held.slice(until)
    this.#plainUntil = Math.max(0, this.#plainUntil - until)
    this.#code.dropFence()
    this.#at = 0
  }

  #release(at: number): void {
    const until = this.#code.releasableUntil(at)
    this.#emit(this.#held.slice(0, until))
    this.#held = this.#held.slice(until)
    this.#plainUntil = Math.max(0, this.#plainUntil - until)
    this.#at = at - until
    this.#code.shift(until)
  }

  #emit(text: string): void {
    if (text === '') return
    if (text.trim() !== '') this.#reasoningStart = false
    if (this.#reasoning) this.#sink.reasoning(text)
    else if (this.#hold) this.#sink.hold(text)
    else this.#sink.text(text)
  }
}
