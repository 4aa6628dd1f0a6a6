import { backtick, newline, tilde } from '../char-codes.ts'
import { CodeTracker, maxInlineCode } from '../code-tracker.ts'

const maxFenceLine = 200

/** A position in the text that is held back, and the state before it. */
interface Checkpoint {
  at: number
  readonly tracker: CodeTracker
}

interface Marker extends Checkpoint {
  /** It begins or ends reasoning. */
  readonly isReasoning: boolean
}

/**
 * Whether the scan stands in Markdown code (R3), and what of the text it holds back because of that: a marker
 * after a backtick run that may not be closed, and a fence line that a block may follow. Positions are those of the held text.
 */
export class CodeContext {
  tracker: CodeTracker = new CodeTracker()
  /** The state where the thought starts. */
  #suspended = new CodeTracker()
  #pendingMarker: Marker | undefined
  /** The backtick run is too long to wait for its end: no call in it counts. */
  #isLong = false
  #fence: Checkpoint | undefined

  /** Where the fence line starts that may belong to a block. */
  get fenceStart(): number | undefined {
    return this.#fence?.at
  }

  /** A marker is held back until the backtick run before it ends. */
  get isMarkerPending(): boolean {
    return this.#pendingMarker !== undefined
  }

  /** Takes the character at a position. `holdsFences`: a block may follow a fence line here. */
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

  /** What follows starts a line of its own, outside of code. */
  restart(): void {
    this.tracker = new CodeTracker()
    this.#fence = undefined
  }

  /** A thought starts, with code of its own. */
  suspend(): void {
    this.#suspended = this.tracker
  }

  /** The thought is over: its line goes on. */
  resume(): void {
    this.tracker = this.#suspended
  }

  /** A marker stands after an open backtick run: whether it counts is known at the run's end. */
  holdMarker(at: number, isReasoning: boolean): void {
    if (isReasoning || !this.#isLong)
      this.#pendingMarker = { at, tracker: this.tracker.clone(), isReasoning }
  }

  /**
   * Where scanning goes on because it is known by now what the pending marker is: it counts when its run is not
   * closed on its line. Where that takes too long, one of reasoning counts, and one of a call doesn't, so that
   * neither a quoted call nor one in a thought runs. `code`: the next character, undefined at the end of the output.
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

  /** Back to the state before the fence line, in a fence that belongs to the block in it. Returns where it starts. */
  leaveFence(): number | undefined {
    if (!this.#fence || !this.tracker.fenced) return undefined
    this.tracker = this.#fence.tracker
    return this.#fence.at
  }

  dropFence(): void {
    this.#fence = undefined
  }

  /** Returns how much of the text before `at` need not be held back; positions move by that. */
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
