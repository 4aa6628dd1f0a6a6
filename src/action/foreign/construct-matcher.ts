import { lessThan, moreThan, space } from '../char-codes.ts'
import { textMarks } from './literal-reader.ts'
import { isLetter, isNamePart } from './foreign-call.ts'

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
  /** The mark around the current text (Gemma). Below: the part of a mark read so far. */
  #mark = ''
  #markPrefix = ''
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
    const prefix = this.#markPrefix + String.fromCharCode(code)
    const isMark = this.#mark === '' ? isBeginning(prefix) : this.#mark.startsWith(prefix)
    this.#markPrefix = isMark ? prefix : code === lessThan ? '<' : ''
    if (isMark && textMarks.includes(prefix)) {
      this.#mark = this.#mark === '' ? prefix : ''
      this.#markPrefix = ''
    }
    return this.#mark !== '' || (isMark && prefix !== '<')
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

const cdata = '<![CDATA['

/** Detects a text outside CDATA, one character at a time. */
export class CloserWatch {
  readonly #expected: string
  #matched = 0
  /** Characters of the CDATA opener read so far. */
  #cdata = 0
  /** Number of closing brackets directly before the current character. */
  #brackets = 0

  constructor(closer: string) {
    this.#expected = closer
  }

  get seen(): boolean {
    return this.#matched === this.#expected.length
  }

  feed(code: number): void {
    if (this.seen) return
    if (this.#cdata < cdata.length) {
      this.#matched = progress(this.#expected, this.#matched, code)
      this.#cdata = progress(cdata, this.#cdata, code)
    } else if (code === moreThan && this.#brackets >= 2) this.#cdata = 0
    this.#brackets = code === 93 ? this.#brackets + 1 : 0
  }
}

/** Number of the text's characters that match, after one more character. */
function progress(text: string, matched: number, code: number): number {
  if (code === text.charCodeAt(matched)) return matched + 1
  return code === text.charCodeAt(0) ? 1 : 0
}

/** Syntax of the text after a marker. */
export interface MarkedSyntax {
  readonly opener: string
  /** Closer of the section. If missing, brackets end the section. */
  readonly closer?: string
  /** The opener is a mark in a tag. The first tag's name follows it, and is part of the closer. */
  readonly isMark?: boolean
}

/**
 * How the body is tracked: until its brackets are closed, or until the closer. `head`: a name or tags, after which
 * brackets may follow.
 */
type Form = 'name' | 'unknown' | 'brackets' | 'head' | 'tags' | 'whole'

/** Tags and tokens that JSON or `name(…)` may follow. After any other, values are raw text. */
const headTag =
  /^<(?:[|｜](?!tool_arg)[^<>]*[|｜]|(?:[\w:-]*:)?(?:invoke|function)[\s=][^<>]*|[\w:-]*(?:tool|function)_?(?:calls?|sep|use)|\/[^<>]*)>$/
const maxTag = 300

/** A construct with a marker: always a call. Its value is JSON, or text up to a closing tag. */
export class MarkedMatcher implements ConstructMatcher {
  readonly kind = 'held'
  readonly #value = new BracketMatcher()
  readonly #syntax: MarkedSyntax
  #marker: number
  #form: Form
  #name = ''
  /** Text after the last tag in the head: a name or a tag. */
  #last = ''
  /** The brackets were closed. */
  #isComplete = false
  #closer: CloserWatch
  /** Finds the opener of another section after the section is closed. */
  #next: CloserWatch

  constructor(syntax: MarkedSyntax) {
    this.#syntax = syntax
    this.#marker = syntax.opener.length
    this.#form = this.#firstForm
    this.#closer = this.#newCloser()
    this.#next = new CloserWatch(syntax.opener)
  }

  get isClosed(): boolean {
    return this.#form === 'whole' || (this.#form === 'brackets' && this.#isComplete)
  }

  get isInsideValue(): boolean {
    if (this.#form === 'brackets') return this.#value.isInsideValue
    return this.#form === 'head' || this.#form === 'tags'
  }

  feed(code: number): MatchState {
    if (this.#marker > 0) {
      this.#marker--
      return 'more'
    }
    if (this.#form === 'name') this.#followName(code)
    else if (this.#form === 'unknown' && code > 32)
      this.#form = code === 123 || code === 91 ? 'brackets' : this.#syntax.isMark ? 'tags' : 'head'
    if (this.#form === 'whole') this.#reopen(code)
    else if (this.#form === 'brackets' || this.#form === 'head') this.#followValue(code)
    if (this.#form !== 'whole' && this.#form !== 'name' && !this.#value.isInsideValue) {
      this.#closer.feed(code)
      if (this.#closer.seen) this.#form = 'whole'
    }
    return 'more'
  }

  /** Tracks a value, because a closer in a string is content. */
  #followValue(code: number): void {
    const state = this.#value.feed(code)
    if (this.#form === 'brackets') {
      this.#isComplete ||= state === 'complete'
      return
    }
    if (this.#value.isInsideValue) this.#last = ''
    else if (this.#last.length < maxTag) this.#last += String.fromCharCode(code)
    if (code !== moreThan || this.#last === '') return
    const at = this.#last.indexOf('<')
    // The first tag may begin in the opener. Kimi K3 writes a parameter's name between two tokens.
    const isHead = at < 0 || headTag.test(this.#last.slice(at))
    if (!isHead || this.#last.startsWith('argument')) this.#form = 'tags'
    this.#last = ''
  }

  /** Reads the first tag's name, which is part of the closer. */
  #followName(code: number): void {
    // DeepSeek V4.1 writes a space after its mark.
    if (isNamePart(code) || (code === space && this.#name === ''))
      this.#name += String.fromCharCode(code)
    else if (this.#name.trim() !== '' || code !== lessThan) {
      this.#closer = this.#newCloser()
      this.#form = code === moreThan ? 'unknown' : 'tags'
    }
  }

  #reopen(code: number): void {
    this.#next.feed(code)
    if (!this.#next.seen) return
    this.#name = ''
    this.#last = ''
    this.#isComplete = false
    this.#form = this.#firstForm
    this.#closer = this.#newCloser()
    this.#next = new CloserWatch(this.#syntax.opener)
  }

  get #firstForm(): Form {
    const { closer, isMark } = this.#syntax
    if (closer === undefined) return 'brackets'
    return isMark ? 'name' : 'unknown'
  }

  /** Omits the closer's last character, because white space may precede it. */
  #newCloser(): CloserWatch {
    const { closer = '\0\0' } = this.#syntax
    return new CloserWatch(closer.slice(0, -1) + this.#name)
  }
}

/** Whether a construct needs more characters, is plain text, or is complete. */
export type MatchState = 'more' | 'text' | 'complete'

/** Tracks a construct character by character, until it is complete or turns out to be plain text. */
export interface ConstructMatcher {
  /**
   * `held`: always a call, regardless of the text after it. `lines`: must have its lines to itself. `fence`: a fenced
   * construct.
   */
  readonly kind: 'held' | 'lines' | 'fence'
  /** The current character is inside a value, where markers are content. */
  readonly isInsideValue: boolean
  /** The value of a `held` construct has ended, and another value may follow. */
  readonly isClosed?: boolean
  feed(code: number, fenced: boolean): MatchState
}
