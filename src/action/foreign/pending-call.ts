import type { ConstructMatcher, MatchState } from './construct-matchers.ts'

/**
 * A call in another format while its text is held back: decides whether it still is one (R18). Unmarked
 * constructs stand on lines of their own; followed by prose, a fenced one is text, and so is one that prose
 * precedes.
 */
export class PendingCall {
  #matcher: ConstructMatcher
  #phase: 'match' | 'line' | 'next' | 'final' = 'match'
  readonly #hasTextBefore: boolean

  constructor(matcher: ConstructMatcher, hasTextBefore: boolean) {
    this.#matcher = matcher
    this.#hasTextBefore = hasTextBefore
  }

  /** A whole construct was read; what follows decides. */
  get awaitsNext(): boolean {
    return this.#phase === 'next'
  }

  /** Inside a value: what looks like a marker there is content. */
  get isInsideValue(): boolean {
    return this.#phase === 'match' && this.#matcher.isInsideValue
  }

  /** Another construct follows. */
  restart(matcher: ConstructMatcher): void {
    this.#matcher = matcher
    this.#phase = 'match'
  }

  /** Whatever follows, it is a call. */
  finish(): void {
    this.#phase = 'final'
  }

  /** The construct that was read is a call. */
  confirm(): void {
    this.#phase = this.#matcher.kind === 'lines' ? 'line' : 'next'
  }

  feed(code: number, fenced: boolean): MatchState {
    if (this.#phase === 'match') return this.#matcher.feed(code, fenced)
    if (this.#phase === 'line') return this.#restOfLine(code)
    if (this.#phase === 'next' && code > 32) {
      if (this.#matcher.kind === 'fence' || this.#hasTextBefore) return 'text'
      this.#phase = 'final'
    }
    return 'more'
  }

  #restOfLine(code: number): MatchState {
    if (code === 10) this.#phase = 'next'
    return code <= 32 || code === 44 || code === 59 ? 'more' : 'text'
  }
}
