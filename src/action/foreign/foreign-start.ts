import type { Place } from '../place.ts'
import type { ToolIndex } from '../tool-index.ts'
import { matchOpener } from '../openers.ts'
import { matchMadeUp } from '../trailing.ts'
import { ForeignHold } from './foreign-hold.ts'
import { endOfMarker, matchMarker, matchToken } from './markers.ts'
import { BracketTrial, FenceTrial, MarkedTrial, ReactTrial, TagTrial } from './trials.ts'
import type { Trial } from './trials.ts'

const namespaces = ['functions.', 'default_api.', 'tools.'] as const

/** Finds where a call in another format may start; `'partial'` while more input may make one. */
export class ForeignStart {
  readonly #words: readonly string[]
  readonly #tags: readonly string[]
  readonly #blocks: boolean

  /** `blocks`: an ACTION block counts as one of these formats. */
  constructor(index: ToolIndex, blocks: boolean = false) {
    this.#blocks = blocks
    const names = index.tools.map((tool) => tool.name)
    this.#words = [
      ...names.flatMap((name) => [`${name}(`, ...namespaces.map((space) => `${space}${name}(`)]),
      'print(',
      'Action:',
    ]
    this.#tags = index.tools.map((tool) => `<${tool.tag}`)
  }

  /**
   * Where a call may start. With a `place` (Q2): outside of quotations and at the start of a line only; a
   * model's own control token may follow right after a sentence, since no line break belongs to its format.
   * What is announced elsewhere is marked as quoted.
   */
  match(
    text: string,
    {
      at,
      lineStart,
      place,
    }: { readonly at: number; readonly lineStart: boolean; readonly place: Place | undefined },
  ): Trial | 'partial' | undefined {
    if (!place || (lineStart && !place.isQuoted)) return this.#match(text, at, lineStart)
    if (!/[<[]/.test(text[at] ?? '')) return undefined
    const own = place.endsSentence && !place.isQuoted ? ownToken(text, at) : undefined
    if (own !== undefined) return own
    const marker = matchOpener(text, at, lineStart) ?? matchMarker(text, at)
    if (marker === 'partial') return 'partial'
    if (marker !== false) place.quoteCall(/^<([A-Za-z_][\w:]*)/.exec(text.slice(at, at + 60))?.[1])
    return undefined
  }

  /** What the model makes up after a call: it settles the call, and is none. */
  matchMadeUp(text: string): boolean | 'partial' {
    return matchMadeUp(text)
  }

  /** Follows a call that starts here. */
  hold(trial: Trial, hasTextBefore: boolean): ForeignHold {
    return new ForeignHold(trial, hasTextBefore)
  }

  /** Any call that stands alone in a fence. */
  fenced(): Trial {
    return new FenceTrial()
  }

  #match(text: string, at: number, lineStart: boolean): Trial | 'partial' | undefined {
    const char = text[at]
    const opener = this.#blocks && char === '<' ? matchOpener(text, at, lineStart) : undefined
    if (typeof opener === 'object') return new MarkedTrial(opener.end - at, opener.name, 'tags')
    return this.#matchOther(text, at, lineStart) ?? opener
  }

  #matchOther(text: string, at: number, lineStart: boolean): Trial | 'partial' | undefined {
    const char = text[at]
    if (char === '<' || char === '[') {
      const marker = matchMarker(text, at)
      if (marker === true) return markedTrial(text, at)
      const tag = lineStart && char === '<' ? this.#matchTag(text, at) : undefined
      if (tag || marker === 'partial') return tag ?? 'partial'
    }
    if (!lineStart || char === undefined) return undefined
    if (char === '{' || char === '[') return new BracketTrial()
    return /[A-Za-z_]/.test(char) ? this.#matchWord(text, at) : undefined
  }

  #matchTag(text: string, at: number): Trial | 'partial' | undefined {
    const window = text.slice(at, at + 80)
    for (const tag of this.#tags) {
      if (window.startsWith(tag) && /^[\s/>]/.test(window.slice(tag.length)))
        return new TagTrial(tag.slice(1))
    }
    return this.#tags.some((tag) => tag.startsWith(window)) ? 'partial' : undefined
  }

  #matchWord(text: string, at: number): Trial | 'partial' | undefined {
    const window = text.slice(at, at + 90)
    for (const word of this.#words) {
      if (window.startsWith(word)) return word === 'Action:' ? new ReactTrial() : new BracketTrial()
    }
    return this.#words.some((word) => word.startsWith(window)) ? 'partial' : undefined
  }
}

/** A control token of another format: a model's own, wherever it stands on the line. */
function ownToken(text: string, at: number): Trial | 'partial' | undefined {
  const token = matchToken(text, at)
  return token === true ? markedTrial(text, at) : token
}

function markedTrial(text: string, at: number): Trial {
  const end = endOfMarker(text, at) ?? at
  const tag = /^<([A-Za-z_][\w:]*)/.exec(text.slice(at, at + 60))?.[1]
  return new MarkedTrial(end - at, tag)
}
