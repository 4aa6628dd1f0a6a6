import { backtick, newline, tilde } from '../char-codes.ts'
import { CodeTracker, maxInlineCode } from '../code-tracker.ts'

const maxFenceLine = 200

/** A held-back position of the text, and the state before it. */
interface Checkpoint {
  at: number
  readonly tracker: CodeTracker
}

interface Marker extends Checkpoint {
  /** The marker begins or ends reasoning. */
  readonly isReasoning: boolean
}

/**
 * Tracks whether the scan is in Markdown code (R3), and which text must be held back until that is known. This is a
 * marker after a backtick run that may not be closed, or a fence line that may precede a block. Positions are relative
 * to the held text.
 */
export class CodeContext {
  tracker: CodeTracker = new CodeTracker()
  /** State at the start of the reasoning. */
  #suspended = new CodeTracker()
  #pendingMarker: Marker | undefined
  /** The backtick run is too long to wait for its end, so no call in it counts. */
  #isLong = false
  #fence: Checkpoint | undefined

  /** Start of the fence line that may belong to a block. */
  get fenceStart(): number | undefined {
    return this.#fence?.at
  }

  /** A marker is held back until the preceding backtick run ends. */
  get isMarkerPending(): boolean {
    return this.#pendingMarker !== undefined
  }

  /** Feeds the character at a position. `holdsFences`: a block may follow a fence line here. */
  feed(at: number, code: number, holdsFences: boolean): void {
    const { fenced, lineStart } = this.tracker
    const isFenceMark = lineStart && (code === backtick || code === tilde)
    if (isFenceMark && holdsFences && !this.#fence && !fenced)
      this.#fence = { at, tracker: this.tracker.clone() }
    this.tracker.feed(code)
    if (code !== backtick && !this.tracker.inRun) {
      this.#pendingMarker = undefined
      this.#isLong = false
    }
    if (this.#fence && !this.#mayHoldFence(this.#fence, at, code)) this.#fence = undefined
  }

  /** Resets the state: the following text starts a line outside of code. */
  restart(): void {
    this.tracker = new CodeTracker()
    this.#fence = undefined
  }

  /** Starts reasoning, which has code of its own. */
  suspend(): void {
    this.#suspended = this.tracker
  }

  /** Ends reasoning and continues the line before it. */
  resume(): void {
    this.tracker = this.#suspended
  }

  /** Holds back a marker after an open backtick run. Whether it counts is known at the run's end. */
  holdMarker(at: number, isReasoning: boolean): void {
    if (isReasoning || !this.#isLong)
      this.#pendingMarker = { at, tracker: this.tracker.clone(), isReasoning }
  }

  /**
   * Returns the position to rescan from, once the pending marker is decided. It counts if its run isn't closed on its
   * line. If that takes too long, a reasoning marker counts and a call's doesn't. This way neither a quoted call nor
   * one in reasoning runs. `code`: the next character, undefined at the end of the output.
   */
  dueMarker(at: number, code: number | undefined): number | undefined {
    // A run that ends with the line or the output may close the one before the marker.
    const isLineOver = code === undefined || code === newline
    if (isLineOver) this.tracker.flush()
    const marker = this.#pendingMarker
    if (!marker) return undefined
    const isDue = isLineOver ? this.tracker.inRun : at - marker.at > maxInlineCode
    if (isDue || isLineOver) this.#pendingMarker = undefined
    if (!isDue) return undefined
    this.tracker = marker.tracker
    this.#isLong = !isLineOver && !marker.isReasoning
    if (!this.#isLong) this.tracker.ignoreRunsOnLine()
    return marker.at
  }

  /**
   * Restores the state before the fence line, if the fence belongs to a block in it. Returns the fence line's start.
   */
  leaveFence(): number | undefined {
    if (!this.#fence || !this.tracker.fenced) return undefined
    this.tracker = this.#fence.tracker
    return this.#fence.at
  }

  dropFence(): void {
    this.#fence = undefined
  }

  /** Returns the length of the text before `at` that need not be held back. Positions shift by this length. */
  release(at: number): number {
    const until = Math.min(at, this.#pendingMarker?.at ?? at, this.#fence?.at ?? at)
    if (this.#pendingMarker) this.#pendingMarker.at -= until
    if (this.#fence) this.#fence.at -= until
    return until
  }

  #mayHoldFence(fence: Checkpoint, at: number, code: number): boolean {
    if (at - fence.at > maxFenceLine) return false
    return this.tracker.mayOpenFence || (this.tracker.fenced && code <= 32)
  }
}
