import { CloserWatch } from './closer-watch.ts'
import type { ConstructMatcher, MatchState } from './construct-matcher.ts'
import { isNamePart } from './names.ts'

/** A tool's tag without a block: a call when another tag, or nothing, is in it. */
export class TagMatcher implements ConstructMatcher {
  readonly kind = 'held'
  #closer: CloserWatch
  /** The name of a further tag, as far as it was read. */
  #name: string | undefined
  #opened = false
  #last = 0
  #isCertain = false

  constructor(tag: string) {
    this.#closer = new CloserWatch(`</${tag}`)
  }

  get isClosed(): boolean {
    return this.#isCertain && (this.#last === 47 || this.#closer.seen)
  }

  get isInsideValue(): boolean {
    return this.#isCertain && !this.isClosed
  }

  feed(code: number): MatchState {
    if (this.isClosed) this.#reopen(code)
    else this.#closer.feed(code)
    if (this.#isCertain) return 'more'
    if (!this.#opened) {
      if (code === 62) {
        this.#opened = true
        this.#isCertain = this.#last === 47
      } else this.#last = code
      return 'more'
    }
    if (code <= 32) return 'more'
    this.#isCertain = code === 60
    return this.#isCertain ? 'more' : 'text'
  }

  /** Another tag may follow. */
  #reopen(code: number): void {
    if (code === 60) this.#name = ''
    else if (this.#name !== undefined && (isNamePart(code) || code === 58))
      this.#name += String.fromCharCode(code)
    else {
      if (this.#name && code !== 47) {
        this.#closer = new CloserWatch(`</${this.#name}`)
        this.#last = 0
      }
      this.#name = undefined
    }
  }
}
