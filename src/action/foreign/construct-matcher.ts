/** Whether a construct needs more characters, is plain text, or is complete. */
export type MatchState = 'more' | 'text' | 'complete'

/** Tracks a construct character by character, until it is complete or turns out to be plain text. */
export interface ConstructMatcher {
  /**
   * `held`: always a call, regardless of the text after it. `lines`: must stand on its own lines. `fence`: a fenced
   * construct.
   */
  readonly kind: 'held' | 'lines' | 'fence'
  /** The position is inside a value, where markers are content. */
  readonly isInsideValue: boolean
  /** The value of a `held` construct has ended, and another value may follow. */
  readonly isClosed?: boolean
  feed(code: number, fenced: boolean): MatchState
}
