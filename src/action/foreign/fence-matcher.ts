import { lessThan } from '../char-codes.ts'
import { BracketMatcher } from './bracket-matcher.ts'
import type { ConstructMatcher, MatchState } from './construct-matcher.ts'

/** A fence that starts with a construct: whole at the fence's end. */
export class FenceMatcher implements ConstructMatcher {
  readonly kind = 'fence'
  readonly #value = new BracketMatcher()
  #inside = false
  /** Tags stand in it, not JSON or `name(…)`. */
  #hasTags = false

  get isInsideValue(): boolean {
    return !this.#hasTags && this.#value.isInsideValue
  }

  feed(code: number, fenced: boolean): MatchState {
    if (this.#inside && !fenced) return 'complete'
    if (!this.#inside) this.#hasTags = code === lessThan
    if (!this.#hasTags) this.#value.feed(code)
    this.#inside ||= fenced
    return 'more'
  }
}
