import { isBlank, moreThan } from '../char-codes.ts'
import { TrailingText } from '../trailing-text.ts'
import { BracketMatcher } from './bracket-matcher.ts'
import type { ConstructMatcher, MatchState } from './construct-matcher.ts'

/** Functionary's mark between calls. */
const nextMark = '>>>'

/**
 * Decides whether held-back text is a call in another format (R18). Unmarked constructs need lines of their
 * own. With prose after it, a construct is text if it is fenced or also has prose before it.
 */
export class PendingCall {
  #matcher: ConstructMatcher
  #phase: 'match' | 'line' | 'next' | 'final' = 'match'
  #marks = 0
  /** A semicolon comes directly before. */
  #isListed = false
  #after = new TrailingText(false)
  readonly #hasTextBefore: boolean

  constructor(matcher: ConstructMatcher, hasTextBefore: boolean) {
    this.#matcher = matcher
    this.#hasTextBefore = hasTextBefore
  }

  /** The call began with a marker. */
  get isMarked(): boolean {
    return this.#matcher.kind === 'held'
  }

  /** A complete construct was read. The text after it decides. */
  get awaitsNext(): boolean {
    return this.#phase === 'next'
  }

  /** A complete construct was read. */
  get isClosed(): boolean {
    return this.#phase !== 'match' || (this.#matcher.isClosed ?? false)
  }

  /** A complete construct was read that could be a call by itself. */
  get isWhole(): boolean {
    return this.#phase !== 'match'
  }

  /** The reader is inside a value, where text that looks like a marker is content. */
  get isInsideValue(): boolean {
    return this.#phase === 'match' && this.#matcher.isInsideValue
  }

  /** Starts over with the next construct. */
  restart(matcher: ConstructMatcher): void {
    this.#matcher = matcher
    this.#phase = 'match'
    this.#marks = 0
    this.#after = new TrailingText(false)
  }

  /** Decides that this is a call, regardless of the text after it. */
  finish(): void {
    this.#phase = 'final'
  }

  /** Decides that the construct just read is a call. */
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
    // Llama separates calls with semicolons: `{…}; {…}`.
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
