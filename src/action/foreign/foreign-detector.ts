import { matchOpener, matchHallucination, TrailingText } from '../pending-block.ts'
import {
  backtick,
  carriageReturn,
  isBlank,
  isTagStart,
  lessThan,
  moreThan,
  newline,
  space,
  tab,
} from '../char-codes.ts'
import type { QuotationTracker } from '../quotation-tracker.ts'
import type { ToolIndex } from '../tool-index.ts'
import {
  BracketMatcher,
  CloserWatch,
  type ConstructMatcher,
  MarkedMatcher,
  type MatchState,
} from './construct-matcher.ts'
import { findMarker, isToken } from './dialects/table.ts'
import { isLetter, isNamePart, namespaces } from './foreign-call.ts'

/** Functionary's mark between calls. */
const nextMark = '>>>'

/**
 * Decides whether held-back text is a call in another format (R18). Constructs without a marker must have their lines
 * to themselves. If prose follows, a construct is text if it is fenced or if prose also precedes it.
 */
export class PendingCall {
  #matcher: ConstructMatcher
  #phase: 'match' | 'line' | 'next' | 'final' = 'match'
  #marks = 0
  /** A semicolon comes directly before. */
  #isListed = false
  #after = new TrailingText(false)
  readonly #hasTextBefore: boolean

  constructor(matcher: ConstructMatcher, hasTextBefore: boolean) {
    this.#matcher = matcher
    this.#hasTextBefore = hasTextBefore
  }

  /** The call began with a marker. */
  get isMarked(): boolean {
    return this.#matcher.kind === 'held'
  }

  /** A complete construct was read. The text after it shows whether it is a call. */
  get awaitsNext(): boolean {
    return this.#phase === 'next'
  }

  /** A complete construct was read. */
  get isClosed(): boolean {
    return this.#phase !== 'match' || (this.#matcher.isClosed ?? false)
  }

  /** The construct is complete and could be a call by itself. */
  get isWhole(): boolean {
    return this.#phase !== 'match'
  }

  /** The reader is inside a value, where text that looks like a marker is content. */
  get isInsideValue(): boolean {
    return this.#phase === 'match' && this.#matcher.isInsideValue
  }

  /** Starts over with the next construct. */
  restart(matcher: ConstructMatcher): void {
    this.#matcher = matcher
    this.#phase = 'match'
    this.#marks = 0
    this.#after = new TrailingText(false)
  }

  /** Decides that this is a call, regardless of the text after it. */
  finish(): void {
    this.#phase = 'final'
  }

  /** Decides that the construct just read is a call. */
  confirm(): void {
    this.#phase = this.#matcher.kind === 'lines' ? 'line' : 'next'
  }

  feed(code: number, fenced: boolean): MatchState {
    if (this.#phase === 'match') return this.#matcher.feed(code, fenced)
    if (this.#phase === 'line') return this.#restOfLine(code)
    if (this.#phase === 'next' && !isBlank(code)) {
      if (this.#matcher.kind === 'fence' || this.#hasTextBefore) return 'text'
      this.#phase = 'final'
    }
    return 'more'
  }

  #restOfLine(code: number): MatchState {
    if (code === 10) this.#phase = 'next'
    // Llama separates calls with semicolons: `{…}; {…}`.
    if (code === 123 && this.#isListed) {
      this.restart(new BracketMatcher())
      return this.#matcher.feed(code, false)
    }
    this.#isListed = code === 59 || (code <= 32 && this.#isListed)
    if (isBlank(code) || code === 44 || code === 59) return 'more'
    // A stop token or the next call's mark may follow on the same line.
    if (code === moreThan && this.#after.text === '' && ++this.#marks < nextMark.length)
      return 'more'
    const isMark = this.#marks === nextMark.length
    const kind = isMark ? 'end' : this.#after.push(String.fromCharCode(code))
    if (kind === 'end') this.#phase = 'final'
    return kind === 'text' ? 'text' : 'more'
  }
}

/** Detects the start of a call in another format. `'partial'`: more input may complete it. */
export class ForeignDetector {
  readonly #prefixes: readonly string[]
  readonly #tags: readonly string[]
  readonly #blocks: boolean
  readonly #delimited: boolean

  /** `blocks`: an ACTION block also counts as another format. `delimited`: formats without markers don't count. */
  constructor(index: ToolIndex, blocks: boolean = false, delimited: boolean = false) {
    this.#blocks = blocks
    this.#delimited = delimited
    const names = index.tools.map((tool) => tool.name)
    this.#prefixes = [
      ...names.flatMap((name) => [`${name}(`, ...namespaces.map((space) => `${space}.${name}(`)]),
      // Functionary writes the parameters on the next line.
      ...names.map((name) => `${name}\n{`),
      'print(',
      'Action:',
    ]
    this.#tags = index.tools.map((tool) => `<${tool.tag}`)
  }

  /**
   * Detects whether a call may start here. With `quotations` (Q2), only outside quotations and at the start of a line.
   * A model's own control token may also follow a sentence, because its format has no line break. A call that starts
   * elsewhere is recorded as quoted.
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
    const controlToken =
      quotations.endsSentence && !quotations.isQuoted ? matchControlToken(text, at) : undefined
    if (controlToken !== undefined) return controlToken
    const marker = matchOpener(text, at, lineStart) ?? matchMarker(text, at)
    if (marker === 'partial') return 'partial'
    if (marker !== false)
      quotations.quoteCall(/^<([A-Za-z_][\w:]*)/.exec(text.slice(at, at + 60))?.[1])
    return undefined
  }

  /** Detects a result that the model made up, which completes the call before it. */
  matchMadeUp(text: string): boolean | 'partial' {
    return matchHallucination(text)
  }

  /** Starts reading a call at this position. */
  pendingCall(matcher: ConstructMatcher, hasTextBefore: boolean): PendingCall {
    return new PendingCall(matcher, hasTextBefore)
  }

  /** Matches the content of a message to a function (harmony). */
  messageMatcher(): ConstructMatcher {
    return new MarkedMatcher({ opener: '' })
  }

  /** Whether the text may be a call's marker or the beginning of one. */
  mayMark(text: string): boolean {
    return matchMarker(text, 0) !== false
  }

  /** Matches any call that is alone in a fence. */
  fenceMatcher(): ConstructMatcher {
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

/** Matches a control token of another format: it starts a model's own call, anywhere on the line. */
function matchControlToken(text: string, at: number): ConstructMatcher | 'partial' | undefined {
  const marker = findMarker(text, at)
  if (typeof marker !== 'object') return marker
  return isToken(marker) ? new MarkedMatcher(marker) : undefined
}

/** Whether a marker of another format starts at `at`. `'partial'`: more input may complete it. */
function matchMarker(text: string, at: number): boolean | 'partial' {
  const marker = findMarker(text, at)
  return typeof marker === 'object' || (marker ?? false)
}

/** Matches a fence that starts with a construct. The match is complete at the fence's end. */
class FenceMatcher implements ConstructMatcher {
  readonly kind = 'fence'
  readonly #value = new BracketMatcher()
  #inside = false
  /** The fence holds tags, not JSON or `name(…)`. */
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

/** Matches a tool's tag outside a block. The tag is a call if it is empty or holds another tag. */
class TagMatcher implements ConstructMatcher {
  readonly kind = 'held'
  #closer: CloserWatch
  /** The part of the next tag's name read so far. */
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

  /** Starts over when another tag follows. */
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
/** Longest name of a tool. */
const maxName = 300
const maxFenceLine = 20
const fenceLength = 3

/** ReAct: `Action: name` and `Action Input:` on the next line. Command R: `Action:` and JSON in a fence. */
class ReactMatcher implements ConstructMatcher {
  readonly kind = 'held'
  #value = new BracketMatcher()
  #next = new CloserWatch(action)
  #phase: ReactPhase = 'action'
  /** Characters read in this phase. */
  #count = 0
  #whole = false
  /** Backticks still missing until the fence around the value is closed. */
  #fence = 0
  /** A complete action was read before the current one, so this is certainly a call. */
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

  /** Starts over when another action follows. */
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

  /** Reads the rest of the first line: the name, perhaps in backticks. */
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

  /** Reads the line that opens a fence, after its first backtick. */
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
