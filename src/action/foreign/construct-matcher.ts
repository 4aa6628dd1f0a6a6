/** Whether a construct needs more characters, is plain text, or is complete. */
export type MatchState = 'more' | 'text' | 'complete'

/** Follows a construct character by character, until it is complete or turns out to be plain text. */
export interface ConstructMatcher {
  /** `held`: it stays a call whatever follows. `lines`: it must stand on its own lines. `fence`: a fenced one. */
  readonly kind: 'held' | 'lines' | 'fence'
  /** Inside a value: what looks like a marker there is content. */
  readonly isInsideValue: boolean
  /** Of one that stays a call: its value is over, and another one may follow. */
  readonly isClosed?: boolean
  feed(code: number, fenced: boolean): MatchState
}
