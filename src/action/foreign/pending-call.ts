import { isBlank, moreThan } from '../char-codes.ts'
import { TrailingText } from '../trailing-text.ts'
import { BracketMatcher } from './bracket-matcher.ts'
import type { ConstructMatcher, MatchState } from './construct-matcher.ts'

/** Functionary's. */
const nextMark = '>>>'

/**
 * A call in another format while its text is held back: decides whether it still is one (R18). Unmarked
 * constructs stand on lines of their own; followed by prose, a fenced one is text, and so is one that prose
 * precedes.
 */
export class PendingCall {
  #matcher: ConstructMatcher
  #phase: 'match' | 'line' | 'next' | 'final' = 'match'
  #marks = 0
  /** A semicolon stands right before. */
  #isListed = false
  #after = new TrailingText(false)
  readonly #hasTextBefore: boolean

  constructor(matcher: ConstructMatcher, hasTextBefore: boolean) {
    this.#matcher = matcher
    this.#hasTextBefore = hasTextBefore
  }

  /** A marker began it. */
  get isMarked(): boolean {
    return this.#matcher.kind === 'held'
  }

  /** A whole construct was read; what follows decides. */
  get awaitsNext(): boolean {
    return this.#phase === 'next'
  }

  /** A whole construct was read. */
  get isClosed(): boolean {
    return this.#phase !== 'match' || (this.#matcher.isClosed ?? false)
  }

  /** A whole construct was read that could stand alone. */
  get isWhole(): boolean {
    return this.#phase !== 'match'
  }

  /** Inside a value: what looks like a marker there is content. */
  get isInsideValue(): boolean {
    return this.#phase === 'match' && this.#matcher.isInsideValue
  }

  /** Another construct follows. */
  restart(matcher: ConstructMatcher): void {
    this.#matcher = matcher
    this.#phase = 'match'
    this.#marks = 0
    this.#after = new TrailingText(false)
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
    if (this.#phase === 'next' && !isBlank(code)) {
      if (this.#matcher.kind === 'fence' || this.#hasTextBefore) return 'text'
      this.#phase = 'final'
    }
    return 'more'
  }

  #restOfLine(code: number): MatchState {
    if (code === 10) this.#phase = 'next'
    // Llama's: `{…}; {…}`.
    if (code === 123 && this.#isListed) {
      this.restart(new BracketMatcher())
      return this.#matcher.feed(code, false)
    }
    this.#isListed = code === 59 || (code <= 32 && this.#isListed)
    if (isBlank(code) || code === 44 || code === 59) return 'more'
    // A stop token or the next call's mark may follow at once.
    if (code === moreThan && this.#after.text === '' && ++this.#marks < nextMark.length)
      return 'more'
    const isMark = this.#marks === nextMark.length
    const kind = isMark ? 'end' : this.#after.push(String.fromCharCode(code))
    if (kind === 'end') this.#phase = 'final'
    return kind === 'text' ? 'text' : 'more'
  }
}
