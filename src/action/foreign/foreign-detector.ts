import { matchOpener } from '../block-opener.ts'
import {
  backtick,
  carriageReturn,
  isTagStart,
  lessThan,
  newline,
  space,
  tab,
} from '../char-codes.ts'
import type { QuotationTracker } from '../quotation-tracker.ts'
import type { ToolIndex } from '../tool-index.ts'
import { matchMadeUp } from '../trailing-text.ts'
import { BracketMatcher } from './bracket-matcher.ts'
import type { ConstructMatcher, MatchState } from './construct-matcher.ts'
import { MarkedMatcher } from './marked-matcher.ts'
import { PendingCall } from './pending-call.ts'
import { findMarker, isToken } from './dialects/table.ts'
import { isLetter, isNamePart, namespaces } from './names.ts'
import { CloserWatch } from './closer-watch.ts'

/** Detects where a call in another format may start; `'partial'` while more input may make one. */
export class ForeignDetector {
  readonly #prefixes: readonly string[]
  readonly #tags: readonly string[]
  readonly #blocks: boolean
  readonly #delimited: boolean

  /** `blocks`: an ACTION block counts as one of these formats. `delimited`: formats without markers don't. */
  constructor(index: ToolIndex, blocks: boolean = false, delimited: boolean = false) {
    this.#blocks = blocks
    this.#delimited = delimited
    const names = index.tools.map((tool) => tool.name)
    this.#prefixes = [
      ...names.flatMap((name) => [`${name}(`, ...namespaces.map((space) => `${space}.${name}(`)]),
      // Functionary: the parameters stand on the next line.
      ...names.map((name) => `${name}\n{`),
      'print(',
      'Action:',
    ]
    this.#tags = index.tools.map((tool) => `<${tool.tag}`)
  }

  /**
   * Where a call may start. With `quotations` (Q2): outside of them and at the start of a line only; a
   * model's own control token may follow right after a sentence, since its format has no line break.
   * A call that starts elsewhere is recorded as quoted.
   */
  match(
    text: string,
    {
      at,
      lineStart,
      quotations,
    }: {
      readonly at: number
      readonly lineStart: boolean
      readonly quotations: QuotationTracker | undefined
    },
  ): ConstructMatcher | 'partial' | undefined {
    if (!quotations || (lineStart && !quotations.isQuoted)) return this.#match(text, at, lineStart)
    if (!isTagStart(text.charCodeAt(at))) return undefined
    const own = quotations.endsSentence && !quotations.isQuoted ? ownToken(text, at) : undefined
    if (own !== undefined) return own
    const marker = matchOpener(text, at, lineStart) ?? matchMarker(text, at)
    if (marker === 'partial') return 'partial'
    if (marker !== false)
      quotations.quoteCall(/^<([A-Za-z_][\w:]*)/.exec(text.slice(at, at + 60))?.[1])
    return undefined
  }

  /** A result that the model made up: the call before it is complete. */
  matchMadeUp(text: string): boolean | 'partial' {
    return matchMadeUp(text)
  }

  /** A call that starts here. */
  open(matcher: ConstructMatcher, hasTextBefore: boolean): PendingCall {
    return new PendingCall(matcher, hasTextBefore)
  }

  /** The content of a message to a function (harmony). */
  message(): ConstructMatcher {
    return new MarkedMatcher({ opener: '' })
  }

  /** The beginning of a call's marker, or all of it. */
  mayMark(text: string): boolean {
    return matchMarker(text, 0) !== false
  }

  /** Any call that stands alone in a fence. */
  fenced(): ConstructMatcher {
    return new FenceMatcher()
  }

  #match(text: string, at: number, lineStart: boolean): ConstructMatcher | 'partial' | undefined {
    const char = text[at]
    const opener = this.#blocks && char === '<' ? matchOpener(text, at, lineStart) : undefined
    if (typeof opener === 'object')
      return new MarkedMatcher({ opener: text.slice(at, opener.end), closer: `</${opener.name}>` })
    return this.#matchOther(text, at, lineStart) ?? opener
  }

  #matchOther(
    text: string,
    at: number,
    lineStart: boolean,
  ): ConstructMatcher | 'partial' | undefined {
    const char = text[at]
    if (lineStart || isTagStart(text.charCodeAt(at))) {
      const marker = findMarker(text, at)
      if (marker === 'partial') return marker
      if (marker) return new MarkedMatcher(marker)
      const tag = lineStart && char === '<' ? this.#matchTag(text, at) : undefined
      if (tag) return tag
    }
    if (!lineStart || char === undefined || this.#delimited) return undefined
    if (char === '{' || char === '[') return new BracketMatcher()
    return this.#matchPrefix(text, at)
  }

  #matchTag(text: string, at: number): ConstructMatcher | 'partial' | undefined {
    const window = text.slice(at, at + 80)
    for (const tag of this.#tags) {
      if (window.startsWith(tag) && /^[\s/>]/.test(window.slice(tag.length)))
        return new TagMatcher(tag.slice(1))
    }
    return this.#tags.some((tag) => tag.startsWith(window)) ? 'partial' : undefined
  }

  #matchPrefix(text: string, at: number): ConstructMatcher | 'partial' | undefined {
    const window = text.slice(at, at + 90)
    for (const prefix of this.#prefixes) {
      if (window.startsWith(prefix))
        return prefix === 'Action:' ? new ReactMatcher() : new BracketMatcher()
    }
    return this.#prefixes.some((prefix) => prefix.startsWith(window)) ? 'partial' : undefined
  }
}

/** A control token of another format: a model's own call, wherever it stands on the line. */
function ownToken(text: string, at: number): ConstructMatcher | 'partial' | undefined {
  const marker = findMarker(text, at)
  if (typeof marker !== 'object') return marker
  return isToken(marker) ? new MarkedMatcher(marker) : undefined
}

/** Whether a marker of another format starts at `at`; `'partial'` while more input may make one. */
function matchMarker(text: string, at: number): boolean | 'partial' {
  const marker = findMarker(text, at)
  return typeof marker === 'object' || (marker ?? false)
}

/** A fence that starts with a construct: whole at the fence's end. */
class FenceMatcher implements ConstructMatcher {
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

/** A tool's tag without a block: a call when another tag, or nothing, is in it. */
class TagMatcher implements ConstructMatcher {
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

const action = 'Action:'
const actionInput = 'Action Input:'
type ReactPhase = 'action' | 'name' | 'after-name' | 'fence' | 'input' | 'value'
/** No tool's name is this long. */
const maxName = 300
const maxFenceLine = 20
const fenceLength = 3

/** ReAct: `Action: name` and `Action Input:` on the next line. Command R: `Action:` and JSON in a fence. */
class ReactMatcher implements ConstructMatcher {
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
