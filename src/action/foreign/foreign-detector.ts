import { matchOpener } from '../block-opener.ts'
import { isTagStart } from '../char-codes.ts'
import type { QuotationTracker } from '../quotation-tracker.ts'
import type { ToolIndex } from '../tool-index.ts'
import { matchMadeUp } from '../trailing-text.ts'
import { BracketMatcher } from './bracket-matcher.ts'
import type { ConstructMatcher } from './construct-matcher.ts'
import { FenceMatcher } from './fence-matcher.ts'
import { MarkedMatcher } from './marked-matcher.ts'
import { ReactMatcher } from './react-matcher.ts'
import { TagMatcher } from './tag-matcher.ts'
import { PendingCall } from './pending-call.ts'
import { findMarker, isToken } from './dialects/table.ts'
import { matchMarker } from './markers.ts'
import { namespaces } from './names.ts'

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
