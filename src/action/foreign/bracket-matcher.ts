import { lessThan } from '../char-codes.ts'
import type { ConstructMatcher, MatchState } from './construct-matcher.ts'
import { textMarks } from './literal-reader.ts'
import { isLetter } from './names.ts'

const openers: ReadonlySet<number> = new Set([40, 91, 123])
const closers: ReadonlySet<number> = new Set([41, 93, 125])

/** Matches JSON or `name(…)`, which is complete once its brackets are closed. */
export class BracketMatcher implements ConstructMatcher {
  readonly kind = 'lines'
  #depth = 0
  #quote = 0
  #quotes = 0
  #long = false
  #escaped = false
  /** The mark around the current text (Gemma), and the part of a mark read so far. */
  #mark = ''
  #markSeen = ''
  #first = 0
  #blankLines = 0

  get isInsideValue(): boolean {
    return this.#depth > 0
  }

  feed(code: number): MatchState {
    if (this.#quote === 0 ? this.#inMarkedText(code) : this.#inString(code)) return 'more'
    if (code === 34 || code === 39) {
      if (this.#depth === 0) return 'text'
      this.#quote = code
      this.#quotes = 1
      this.#long = false
      return this.#checkFirst(code)
    }
    if (openers.has(code)) {
      this.#depth++
      if (this.#depth === 1) this.#first = code
      else if (this.#depth === 2) return this.#checkFirst(code)
      return 'more'
    }
    if (closers.has(code)) return --this.#depth === 0 ? 'complete' : 'more'
    if (code === 10 && ++this.#blankLines > 1 && this.#depth === 0) return 'text'
    return code <= 32 ? 'more' : this.#checkFirst(code)
  }

  /** True while the character belongs to a text between marks, or to a mark. */
  #inMarkedText(code: number): boolean {
    if (this.#depth === 0) return false
    const seen = this.#markSeen + String.fromCharCode(code)
    const isMark = this.#mark === '' ? isBeginning(seen) : this.#mark.startsWith(seen)
    this.#markSeen = isMark ? seen : code === lessThan ? '<' : ''
    if (isMark && textMarks.includes(seen)) {
      this.#mark = this.#mark === '' ? seen : ''
      this.#markSeen = ''
    }
    return this.#mark !== '' || (isMark && seen !== '<')
  }

  /** True while the character belongs to the string. */
  #inString(code: number): boolean {
    if (this.#quotes > 0 && !this.#long) {
      if (code === this.#quote) {
        if (++this.#quotes === 3) {
          this.#long = true
          this.#quotes = 0
        }
        return true
      }
      if (this.#quotes === 2) {
        this.#quote = 0
        return false
      }
      this.#quotes = 0
    }
    if (this.#escaped) this.#escaped = false
    else if (code === 92) this.#escaped = true
    else if (code !== this.#quote) this.#quotes = 0
    else if (!this.#long || ++this.#quotes === 3) this.#quote = 0
    return true
  }

  /** Checks the first item in the outermost bracket: an object's key, or an object or call in a list. */
  #checkFirst(code: number): MatchState {
    const first = this.#first
    this.#first = 0
    if (first === 123) return code === 34 || code === 39 ? 'more' : 'text'
    if (first === 91) return code === 123 || isLetter(code) ? 'more' : 'text'
    return 'more'
  }
}

function isBeginning(text: string): boolean {
  return textMarks.some((mark) => mark.startsWith(text))
}
