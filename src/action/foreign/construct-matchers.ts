/** Whether a construct needs more characters, is plain text, or is complete. */
export type MatchState = 'more' | 'text' | 'complete'

/** Follows a construct character by character, until it is complete or turns out to be plain text. */
export interface ConstructMatcher {
  /** `held`: it stays a call whatever follows. `lines`: it must stand on its own lines. `fence`: a fenced one. */
  readonly kind: 'held' | 'lines' | 'fence'
  /** Inside a value: what looks like a marker there is content. */
  readonly isInsideValue: boolean
  feed(code: number, fenced: boolean): MatchState
}

const openers: ReadonlySet<number> = new Set([40, 91, 123])
const closers: ReadonlySet<number> = new Set([41, 93, 125])

/** JSON or `name(…)`: whole once its brackets are closed. */
export class BracketMatcher implements ConstructMatcher {
  readonly kind = 'lines'
  #depth = 0
  #quote = 0
  #quotes = 0
  #long = false
  #escaped = false
  #first = 0
  #blankLines = 0

  get isInsideValue(): boolean {
    return this.#depth > 0
  }

  feed(code: number): MatchState {
    if (this.#quote !== 0) {
      if (this.#inString(code)) return 'more'
    }
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

  /** The first thing in the outermost bracket: a key of an object, an object or a call in a list. */
  #checkFirst(code: number): MatchState {
    const first = this.#first
    this.#first = 0
    if (first === 123) return code === 34 || code === 39 ? 'more' : 'text'
    if (first === 91) return code === 123 || isLetter(code) ? 'more' : 'text'
    return 'more'
  }
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95
}

/** A tool's tag without a block: a call when another tag, or nothing, is in it. */
export class TagMatcher implements ConstructMatcher {
  readonly kind = 'held'
  readonly #closer: CloserWatch
  #opened = false
  #last = 0
  #isCertain = false

  constructor(tag: string) {
    this.#closer = new CloserWatch(`</${tag}`)
  }

  get isInsideValue(): boolean {
    return this.#isCertain && this.#last !== 47 && !this.#closer.seen
  }

  feed(code: number): MatchState {
    this.#closer.feed(code)
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
}

/** ReAct: `Action: name` and `Action Input:` on the next line. */
export class ReactMatcher implements ConstructMatcher {
  readonly kind = 'held'
  readonly #value = new BracketMatcher()
  #line = ''
  #first = true
  #isCertain = false
  #whole = false

  get isInsideValue(): boolean {
    return !this.#whole && this.#value.isInsideValue
  }

  feed(code: number): MatchState {
    if (this.#isCertain) {
      this.#whole ||= this.#value.feed(code) !== 'more'
      return 'more'
    }
    if (code === 10) return this.#endLine()
    this.#line += String.fromCharCode(code)
    if (this.#first)
      return /^Action:?[ \t]*`?[\w.-]*`?[ \t\r]*$/.test(this.#line) ||
        'Action:'.startsWith(this.#line)
        ? 'more'
        : 'text'
    const line = this.#line.trimStart()
    this.#isCertain = line === 'Action Input:'
    return 'Action Input:'.startsWith(line) ? 'more' : 'text'
  }

  #endLine(): MatchState {
    const blank = this.#line.trim() === ''
    this.#line = ''
    if (this.#first) {
      this.#first = false
      return blank ? 'text' : 'more'
    }
    return blank ? 'more' : 'text'
  }
}

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

/** A construct with a marker: a call whatever follows. Its value is JSON, or text up to a closing tag. */
export class MarkedMatcher implements ConstructMatcher {
  readonly kind = 'held'
  readonly #value = new BracketMatcher()
  readonly #closer: CloserWatch | undefined
  #marker: number
  #form: 'unknown' | 'brackets' | 'tags' | 'whole'

  /** `length` is the marker's own; a `tag` is what its closing tag would be called. */
  constructor(length: number, tag: string | undefined, form: 'unknown' | 'tags' = 'unknown') {
    this.#marker = length
    this.#form = form
    this.#closer = tag === undefined ? undefined : new CloserWatch(`</${tag}`)
    if (!this.#closer) this.#form = 'brackets'
  }

  get isInsideValue(): boolean {
    if (this.#form === 'brackets') return this.#value.isInsideValue
    return this.#form === 'tags' && !this.#closer?.seen
  }

  feed(code: number): MatchState {
    if (this.#marker > 0) this.#marker--
    else if (this.#form === 'unknown' && code > 32)
      this.#form = code === 123 || code === 91 ? 'brackets' : 'tags'
    if (this.#form === 'brackets' && this.#marker === 0 && this.#value.feed(code) === 'complete')
      this.#form = this.#closer ? 'whole' : 'brackets'
    this.#closer?.feed(code)
    return 'more'
  }
}

/** Detects a closing tag as its characters pass. */
class CloserWatch {
  readonly #wanted: string
  #matched = 0

  constructor(wanted: string) {
    this.#wanted = wanted
  }

  get seen(): boolean {
    return this.#matched === this.#wanted.length
  }

  feed(code: number): void {
    if (this.seen) return
    if (code === this.#wanted.charCodeAt(this.#matched)) this.#matched++
    else this.#matched = code === 60 ? 1 : 0
  }
}
