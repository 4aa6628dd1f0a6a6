import { backtick, carriageReturn, newline, space, tab } from '../char-codes.ts'
import { BracketMatcher } from './bracket-matcher.ts'
import { CloserWatch } from './closer-watch.ts'
import type { ConstructMatcher, MatchState } from './construct-matcher.ts'
import { isLetter, isNamePart } from './names.ts'

const action = 'Action:'
const actionInput = 'Action Input:'
type ReactPhase = 'action' | 'name' | 'after-name' | 'fence' | 'input' | 'value'
/** No tool's name is this long. */
const maxName = 300
const maxFenceLine = 20
const fenceLength = 3

/** ReAct: `Action: name` and `Action Input:` on the next line. Command R: `Action:` and JSON in a fence. */
export class ReactMatcher implements ConstructMatcher {
  readonly kind = 'held'
  #value = new BracketMatcher()
  #next = new CloserWatch(action)
  #phase: ReactPhase = 'action'
  /** Characters of this phase so far. */
  #count = 0
  #whole = false
  /** How much of the closing line is to come of the fence that its value stands in. */
  #fence = 0
  /** A whole one was read: what follows is another one, or nothing. */
  #isCertain = false

  get isClosed(): boolean {
    return this.#whole
  }

  get isInsideValue(): boolean {
    return this.#whole ? this.#fence > 0 : this.#value.isInsideValue
  }

  feed(code: number): MatchState {
    const state = this.#follow(code)
    if (state === 'text' && this.#isCertain) {
      this.#enter('value')
      this.#whole = true
    }
    return this.#isCertain ? 'more' : state
  }

  #follow(code: number): MatchState {
    if (this.#phase === 'value') {
      if (this.#whole) this.#reopen(code)
      else this.#whole = this.#value.feed(code) !== 'more'
      return 'more'
    }
    if (this.#phase === 'input') return this.#followInput(code)
    if (code !== newline) return this.#followName(code)
    this.#enter('input')
    return 'more'
  }

  #enter(phase: ReactPhase): void {
    this.#phase = phase
    this.#count = 0
  }

  /** Another one may follow. */
  #reopen(code: number): void {
    if (this.#fence > 0 && code > space) this.#fence = code === backtick ? this.#fence - 1 : 0
    this.#next.feed(code)
    if (!this.#next.seen) return
    this.#next = new CloserWatch(action)
    this.#value = new BracketMatcher()
    this.#whole = false
    this.#isCertain = true
    this.#enter('action')
    this.#count = action.length
  }

  /** The rest of the first line: the name, perhaps in backticks. */
  #followName(code: number): MatchState {
    if (++this.#count > maxName) return 'text'
    if (this.#phase === 'action') {
      if (this.#count <= action.length || code === space || code === tab) return 'more'
      this.#enter(code === carriageReturn ? 'after-name' : 'name')
      return code === backtick || code === carriageReturn || isNamePart(code) ? 'more' : 'text'
    }
    if (this.#phase === 'name' && isNamePart(code)) return 'more'
    const isMark = this.#phase === 'name' && code === backtick
    if (this.#phase === 'fence' || (isMark && this.#count === 1)) return this.#followFence(code)
    const isEnd = code <= space || isMark
    if (isEnd) this.#enter('after-name')
    return isEnd ? 'more' : 'text'
  }

  /** The line that opens a fence, after its first mark. */
  #followFence(code: number): MatchState {
    if (this.#phase !== 'fence') this.#enter('fence')
    this.#fence = fenceLength
    const isPart = code === backtick || code <= space || isLetter(code)
    return isPart && this.#count < maxFenceLine ? 'more' : 'text'
  }

  #followInput(code: number): MatchState {
    if (this.#count === 0 && code <= space) return 'more'
    if (this.#count === 0 && code === backtick) return this.#followFence(code)
    if (this.#count === 0 && (code === 91 || code === 123)) {
      this.#enter('value')
      return this.#follow(code)
    }
    if (code !== actionInput.charCodeAt(this.#count)) return 'text'
    if (++this.#count === actionInput.length) this.#enter('value')
    return 'more'
  }
}
