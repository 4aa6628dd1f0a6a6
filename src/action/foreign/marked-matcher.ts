import { lessThan, moreThan, space } from '../char-codes.ts'
import { BracketMatcher } from './bracket-matcher.ts'
import { CloserWatch } from './closer-watch.ts'
import type { ConstructMatcher, MatchState } from './construct-matcher.ts'
import { isNamePart } from './names.ts'

/** Syntax of the text after a marker. */
export interface MarkedSyntax {
  readonly opener: string
  /** Closer of the section. Without one, brackets end it. */
  readonly closer?: string
  /** The opener is a mark in a tag: the first tag's name follows, and is part of the closer. */
  readonly isMark?: boolean
}

/**
 * How the body is tracked: to the end of brackets, or to the closer. `head`: a name and the like, which brackets may
 * follow.
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
  /** The brackets are closed. */
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
