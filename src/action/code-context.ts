import { CodeTracker } from './code-tracker.ts'

/** No inline code is this long: past it, an open backtick run doesn't hold a marker back any more. */
const maxInlineCode = 2000
const maxFenceLine = 200
const newline = 10
const dash = 45
const moreThan = 62
const backtick = 96
const tilde = 126

/** A position in the text that is held back, and the state before it. */
interface Checkpoint {
  readonly at: number
  readonly tracker: CodeTracker
}

/**
 * Whether the scan stands in Markdown code or in a comment (R3), and what of the text it holds back
 * because of that: a marker after a backtick run that may not be closed, and a fence line that a block
 * may follow. Positions are those of the held text.
 */
export class CodeContext {
  #tracker = new CodeTracker()
  #isComment = false
  #dashes = 0
  #pendingMarker: Checkpoint | undefined
  #fence: Checkpoint | undefined

  get inRun(): boolean {
    return this.#tracker.inRun
  }

  get fenced(): boolean {
    return this.#tracker.fenced
  }

  get lineStart(): boolean {
    return this.#tracker.lineStart
  }

  get isComment(): boolean {
    return this.#isComment
  }

  /** Where the fence line starts that may belong to a block. */
  get fenceStart(): number | undefined {
    return this.#fence?.at
  }

  /** A marker is held back until the backtick run before it ends. */
  get isMarkerPending(): boolean {
    return this.#pendingMarker !== undefined
  }

  flush(): void {
    this.#tracker.flush()
  }

  /** Takes the character at a position. `holdsFences`: a block may follow a fence line here. */
  feed(at: number, code: number, holdsFences: boolean): void {
    const opensFence =
      holdsFences && this.#fence === undefined && this.#tracker.lineStart && isFenceMark(code)
    if (opensFence && !this.#tracker.fenced && !this.#isComment)
      this.#fence = { at, tracker: this.#tracker.clone() }
    this.#followComment(code)
    this.#tracker.feed(code)
    if (code !== backtick && !this.#tracker.inRun) this.#pendingMarker = undefined
    if (this.#fence && !this.#mayHoldFence(this.#fence, at, code)) this.#fence = undefined
  }

  openComment(lessThan: number): void {
    this.#isComment = true
    this.#dashes = 0
    this.#tracker.feed(lessThan)
  }

  /** What follows starts a line of its own, outside of code. */
  restart(): void {
    this.#tracker = new CodeTracker()
  }

  /** A marker stands after an open backtick run: whether it counts is known at the run's end. */
  holdMarker(at: number): void {
    this.#pendingMarker = { at, tracker: this.#tracker.clone() }
  }

  /** The pending marker counts by now: its run isn't closed on its line, or is too long for code. */
  isMarkerDue(at: number, code: number): boolean {
    const marker = this.#pendingMarker
    return marker !== undefined && (code === newline || at - marker.at > maxInlineCode)
  }

  /** The output is over; a run that ends with it may close the one before the pending marker. */
  isMarkerDueAtEnd(): boolean {
    this.#tracker.flush()
    if (!this.#tracker.inRun) this.#pendingMarker = undefined
    return this.#pendingMarker !== undefined
  }

  /** The run was not closed, so the marker counts. Returns where reading goes on; undefined when none is pending. */
  releaseMarker(): number | undefined {
    const marker = this.#pendingMarker
    if (!marker) return undefined
    this.#pendingMarker = undefined
    this.#tracker = marker.tracker
    this.#tracker.ignoreRunsOnLine()
    return marker.at
  }

  /** Back to the state before the fence line: the fence belongs to the block in it. */
  leaveFence(): void {
    if (this.#fence) this.#tracker = this.#fence.tracker
  }

  dropFence(): void {
    this.#fence = undefined
  }

  /** Up to where the text need not be held back. */
  releasableUntil(at: number): number {
    return Math.min(at, this.#pendingMarker?.at ?? at, this.#fence?.at ?? at)
  }

  /** The first characters of the held text were released. */
  shift(by: number): void {
    if (this.#pendingMarker)
      this.#pendingMarker = { ...this.#pendingMarker, at: this.#pendingMarker.at - by }
    if (this.#fence) this.#fence = { ...this.#fence, at: this.#fence.at - by }
  }

  #followComment(code: number): void {
    if (code === moreThan && this.#dashes >= 2) this.#isComment = false
    this.#dashes = code === dash ? this.#dashes + 1 : 0
  }

  #mayHoldFence(fence: Checkpoint, at: number, code: number): boolean {
    if (at - fence.at > maxFenceLine) return false
    return this.#tracker.mayOpenFence || (this.#tracker.fenced && code <= 32)
  }
}

function isFenceMark(code: number): boolean {
  return code === backtick || code === tilde
}
