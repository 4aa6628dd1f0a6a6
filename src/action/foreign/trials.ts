/** What a construct at the start of a line has shown itself to be so far. */
export type Verdict = 'more' | 'text' | 'complete'

/** Follows a construct character by character, to know when it is whole or plain text after all. */
export interface Trial {
  /** `held`: whatever comes, it stays a call. `lines`: it must stand on its own lines. `fence`: a fenced one. */
  readonly kind: 'held' | 'lines' | 'fence'
  feed(code: number, fenced: boolean): Verdict
}

/** A marker said it: all that follows belongs to the call. */
export const heldTrial: Trial = { kind: 'held', feed: () => 'more' }

const openers: ReadonlySet<number> = new Set([40, 91, 123])
const closers: ReadonlySet<number> = new Set([41, 93, 125])

/** JSON or `name(…)`: whole once its brackets are closed. */
export class BracketTrial implements Trial {
  readonly kind = 'lines'
  #depth = 0
  #quote = 0
  #quotes = 0
  #long = false
  #escaped = false
  #first = 0
  #blankLines = 0

  feed(code: number): Verdict {
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
  #checkFirst(code: number): Verdict {
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
export class TagTrial implements Trial {
  readonly kind = 'held'
  #opened = false
  #last = 0
  #settled = false

  feed(code: number): Verdict {
    if (this.#settled) return 'more'
    if (!this.#opened) {
      if (code === 62) {
        this.#opened = true
        this.#settled = this.#last === 47
      }
      this.#last = code
      return 'more'
    }
    if (code <= 32) return 'more'
    this.#settled = code === 60
    return this.#settled ? 'more' : 'text'
  }
}

/** ReAct: `Action: name` and `Action Input:` on the next line. */
export class ReactTrial implements Trial {
  readonly kind = 'held'
  #line = ''
  #first = true
  #settled = false

  feed(code: number): Verdict {
    if (this.#settled) return 'more'
    if (code === 10) return this.#endLine()
    this.#line += String.fromCharCode(code)
    if (this.#first)
      return /^Action:?[ \t]*`?[\w.-]*`?[ \t\r]*$/.test(this.#line) ||
        'Action:'.startsWith(this.#line)
        ? 'more'
        : 'text'
    const line = this.#line.trimStart()
    this.#settled = line === 'Action Input:'
    return 'Action Input:'.startsWith(line) ? 'more' : 'text'
  }

  #endLine(): Verdict {
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
export class FenceTrial implements Trial {
  readonly kind = 'fence'
  #inside = false

  feed(_code: number, fenced: boolean): Verdict {
    if (this.#inside && !fenced) return 'complete'
    this.#inside ||= fenced
    return 'more'
  }
}
