import { skipBlank } from './char-codes.ts'
import { anyCloser } from './foreign/dialects/table.ts'
import { closesReasoning } from './scan/reasoning-marks.ts'
import type { ReasoningEnd } from './scan/reasoning-marks.ts'
import { startsMadeUp } from './made-up.ts'
import { stopToken, turnStart } from './stop-tokens.ts'
import { lazyPattern } from '../lib/once.ts'

/** A closer of some format of calls, left over. */
const strayCloser = lazyPattern(() => `^(?:${anyCloser()})`, 'i')
/** R4: what follows a call and is neither prose nor another call; `'partial'` while it may become that. */
export function matchMadeUp(text: string): boolean | 'partial' {
  return stopToken().test(text) || text.startsWith('</') || startsMadeUp(text, true)
}

/** After these tokens, or what a model makes up at the start of a line, no call is the model's own. */
export function endsCalls(text: string, lineStart: boolean): boolean {
  if (/^<\|(?:start|channel|message|constrain|call|end|return)\|>/.test(text)) return false
  return lineStart ? matchMadeUp(text) === true : stopToken().test(text)
}

/** No stop token is this long. */
const maxToken = 40

/** Follows what stands after a block that counts only at the end of the output. */
export class TrailingText {
  readonly #pieces: string[] = []
  /** The end of the block's own fence may come: its mark, once it does. */
  #fence: string | undefined
  #mayClose: boolean
  readonly #endsThought: ReasoningEnd
  #token = ''

  constructor(aloneInFence: boolean, endsThought: ReasoningEnd = closesReasoning) {
    this.#mayClose = aloneInFence
    this.#endsThought = endsThought
  }

  get text(): string {
    return this.#pieces.join('')
  }

  /** Takes a piece: `'end'` at a stop token, `'text'` when something else stands there, `'open'` so far. */
  push(piece: string): 'open' | 'end' | 'text' {
    this.#pieces.push(piece)
    for (const char of piece) {
      const state = this.#feed(char)
      if (state !== 'open') return state
    }
    return 'open'
  }

  #feed(char: string): 'open' | 'end' | 'text' {
    if (this.#token === '') {
      if (skipBlank(char) === '') {
        this.#mayClose &&= this.#fence === undefined
        return 'open'
      }
      if (this.#mayClose && (char === (this.#fence ?? '`') || char === (this.#fence ?? '~'))) {
        this.#fence = char
        return 'open'
      }
      if (char !== '<') return 'text'
    }
    const isOpen = this.#token === '' || !/[<>\n]/.test(char)
    this.#token += char
    if (isOpen && this.#token.length < maxToken) return 'open'
    const isEnd = this.#endsThought(this.#token, 0)
    if (isEnd === 'partial') return 'open'
    return stopToken().test(this.#token) && !isEnd ? 'end' : 'text'
  }
}

/** Nothing but white space, stop tokens and stray closing tags follows. */
export function endsAnswer(trailing: string): boolean {
  let rest = skipBlank(trailing)
  for (;;) {
    const found = turnStart.exec(rest) ?? stopToken().exec(rest) ?? strayCloser().exec(rest)
    if (!found) return rest === ''
    rest = skipBlank(rest.slice(found[0].length))
  }
}

/** Nothing, or the end of a fence, follows the block. */
export function isBlockLast(trailing: string): boolean {
  return /^\s*(?:(?:`{3,}|~{3,})\s*)?$/.test(trailing)
}

/** A comment never closed is none, so a closer in it ends the block. */
export function splitAtCloser(content: string): {
  readonly content: string
  readonly rest: string
} {
  const closer = /<\/ACTION\s*>/.exec(content)
  if (!closer) return { content, rest: '' }
  const end = closer.index + closer[0].length
  return { content: content.slice(0, closer.index), rest: content.slice(end) }
}
