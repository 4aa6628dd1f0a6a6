import type { ConstructMatcher, MatchState } from './construct-matcher.ts'

/** A fence that starts with a construct: whole at the fence's end. */
export class FenceMatcher implements ConstructMatcher {
  readonly kind = 'fence'
  readonly isInsideValue = false
  #inside = false

  feed(_code: number, fenced: boolean): MatchState {
    if (this.#inside && !fenced) return 'complete'
    this.#inside ||= fenced
    return 'more'
  }
}
