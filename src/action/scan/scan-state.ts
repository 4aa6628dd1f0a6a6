import type { CaptureContext, Opener } from '../pending-block.ts'
import { isTagStart, lessThan, space } from '../char-codes.ts'
import type { ConstructMatcher } from '../foreign/construct-matcher.ts'
import { type CodeContext, letter } from '../code-tracker.ts'
import type { Detectors, ReplyBuffer } from './reply-buffer.ts'
import type { Frame, Header } from './frames.ts'
import { matchReasoning, type ReasoningTag } from './reasoning-marks.ts'

/** The held-back text, and the scan's position in it. */
export class ScanWindow {
  text = ''
  at = 0
  /** Openers before this position are known to be text. */
  plainUntil = 0

  /** Code of the next character; undefined at the end of the text. */
  get code(): number | undefined {
    return this.at < this.text.length ? this.text.charCodeAt(this.at) : undefined
  }

  push(piece: string): void {
    this.text += piece
  }

  /** Removes the text before a position and returns it. */
  cut(until: number): string {
    const text = this.text.slice(0, until)
    this.text = this.text.slice(until)
    this.at = Math.max(0, this.at - until)
    this.plainUntil = Math.max(0, this.plainUntil - until)
    return text
  }

  /** Puts text back to be read again, but not as openers. */
  unread(text: string, rest: string): void {
    this.text = text + rest
    this.at = 0
    this.plainUntil = text.length
  }
}

/** R18: returns the start of a call in another format. A call must be outside of code, or first in a fence. */
export function lookForCall(scan: Scan): Mark | 'partial' | undefined {
  const { window, code, reply, foreign, quotations } = scan
  if (!foreign) return undefined
  if (!reply.takesCalls) return reply.takesFrames ? noteQuoted(scan) : undefined
  const { tracker } = code
  tracker.flush()
  if (tracker.fenced && code.fenceStart === undefined) return undefined
  const { text, at } = window
  const { lineStart } = tracker
  // Text inside a call can't start a quotation.
  const matcher = foreign.match(text, {
    at,
    lineStart,
    quotations: reply.isHeld ? undefined : quotations,
  })
  if (matcher === 'partial') return matcher
  if (matcher === undefined) {
    const madeUp = reply.isHeld && foreign.matchMadeUp(text.slice(at, at + 40))
    if (madeUp === true) reply.finishCall()
    return madeUp === 'partial' ? madeUp : undefined
  }
  if (quotations && tracker.inRun) return undefined
  return { type: 'call', matcher: tracker.fenced ? foreign.fenceMatcher() : matcher }
}

/**
 * Handles a possible call on the same line as an earlier call without a marker. Neither call runs: both are shown as
 * text. The second call is recorded as a quotation, which may include the text after it.
 */
function noteQuoted({ window, quotations, foreign }: Scan): 'partial' | undefined {
  if (!quotations) return undefined
  const mark = foreign?.match(window.text, { at: window.at, lineStart: false, quotations })
  return mark === 'partial' ? mark : undefined
}

/** A fenced block: text, except for a call at its start or a block that ends the output (R3). */
export class Fence implements ScanState {
  readonly name = 'fence'
  readonly #scan: Scan
  readonly #prose: ScanState
  /** The fence follows a call that it isn't part of. */
  readonly #isAfterCall: boolean

  constructor(scan: Scan, prose: ScanState) {
    this.#scan = scan
    this.#prose = prose
    this.#isAfterCall = scan.reply.isWhole
  }

  findMark(code: number): Mark | 'partial' | undefined {
    const { tracker } = this.#scan.code
    if (!isTagStart(code)) return tracker.lineStart ? lookForCall(this.#scan) : undefined
    tracker.flush()
    const block = code === lessThan && !this.#isAfterCall ? lookForBlock(this.#scan) : undefined
    return block ?? this.#lookForCloser(code) ?? lookForCall(this.#scan)
  }

  /**
   * Finds the closing tag of reasoning while a fence is open. Searches only fences that may belong to a marked call.
   */
  #lookForCloser(code: number): Mark | 'partial' | undefined {
    const { window, reply } = this.#scan
    if (!reply.isHeld || reply.takesCalls || this.#isAfterCall) return undefined
    // Another bracket may begin the held text itself, except if a marker did.
    if (code !== lessThan && !reply.isMarked) return undefined
    return matchReasoning(window.text, window.at, { opens: false, lineStart: false })
  }

  consume(code: number): ScanState {
    const { window, code: context, reply } = this.#scan
    context.feed(window.at, reply.isInsideMarked ? letter : code, false)
    return context.tracker.fenced ? this : this.#prose
  }
}

/** A mark in the text. Each mark causes a transition of the machine. */
export type Mark =
  | { readonly type: 'comment' }
  | { readonly type: 'block'; readonly opener: Opener }
  | { readonly type: 'call'; readonly matcher: ConstructMatcher }
  | { readonly type: 'message'; readonly header: Header }
  /** Template tokens before the reply. */
  | { readonly type: 'reply-start'; readonly end: number }
  | ReasoningTag
  | Frame
  /** The model starts to write as somebody else (R4). */
  | { readonly type: 'made-up' }
  /** Like `made-up`, in a reply without a call. The following text is shown, and no call in it runs. */
  | { readonly type: 'others-turn' }

/** A state of the machine for reading text, which is the context of the next character. */
export interface ScanState {
  readonly name: CaptureContext
  /**
   * Returns the mark at the window's position if it counts in this state; `'partial'` if more input may complete it.
   */
  findMark(code: number): Mark | 'partial' | undefined
  /** Consumes the character at the window's position. Returns the state for the next character. */
  consume(code: number): ScanState
}

/** Data shared by all states. */
export interface Scan extends Detectors {
  readonly window: ScanWindow
  readonly code: CodeContext
  readonly reply: ReplyBuffer
}

/** Returns the opener of a block at the window's position. */
export function lookForBlock({ window, code, blocks }: Scan): Mark | 'partial' | undefined {
  const { text, at, plainUntil } = window
  const opener = at < plainUntil ? undefined : blocks?.match(text, at, code.tracker.lineStart)
  return typeof opener === 'object' ? { type: 'block', opener } : opener
}

/** Returns whether a mark may start with this character and the next one; `'partial'` if the next one is missing. */
export function mayStartMark({ text, at }: ScanWindow): boolean | 'partial' {
  if (at + 1 >= text.length) return 'partial'
  const next = text.charCodeAt(at + 1)
  return next > space && next !== text.charCodeAt(at)
}
