import { skipBlank } from './char-codes.ts'
import { anyCloser } from './foreign/dialects/table.ts'
import { closesReasoning } from './scan/reasoning-marks.ts'
import type { ReasoningEnd } from './scan/reasoning-marks.ts'
import { startsMadeUp, stopToken, turnStart } from './made-up.ts'
import { lazyPattern } from '../lib/once.ts'

/** A stray closing tag of any call format. */
const strayCloser = lazyPattern(() => `^(?:${anyCloser()})`, 'i')
/** R4: text after a call that is neither prose nor another call. `'partial'` while it may become that. */
export function matchMadeUp(text: string): boolean | 'partial' {
  return stopToken().test(text) || text.startsWith('</') || startsMadeUp(text, true)
}

/** Whether this text ends the model's own calls: a stop token, or a made-up result at the start of a line. */
export function endsCalls(text: string, lineStart: boolean): boolean {
  if (/^<\|(?:start|channel|message|constrain|call|end|return)\|>/.test(text)) return false
  return lineStart ? matchMadeUp(text) === true : stopToken().test(text)
}

/** Longer than any stop token. */
const maxToken = 40

/** Checks the text after a block that counts only at the end of the output. */
export class TrailingText {
  readonly #pieces: string[] = []
  /** Character of the fence that closes around the block, once its first mark was read. */
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

  /** Reads a piece. Returns `'end'` at a stop token, `'text'` for other text, `'open'` if undecided. */
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

/** Whether only white space, stop tokens and stray closing tags follow. */
export function endsAnswer(trailing: string): boolean {
  let rest = skipBlank(trailing)
  for (;;) {
    const found = turnStart.exec(rest) ?? stopToken().exec(rest) ?? strayCloser().exec(rest)
    if (!found) return rest === ''
    rest = skipBlank(rest.slice(found[0].length))
  }
}

/** Whether nothing, or only the end of a fence, follows the block. */
export function isBlockLast(trailing: string): boolean {
  return /^\s*(?:(?:`{3,}|~{3,})\s*)?$/.test(trailing)
}

/** Splits the content at the first closer. An unclosed comment is text, so a closer in it ends the block. */
export function splitAtCloser(content: string): {
  readonly content: string
  readonly rest: string
} {
  const closer = /<\/ACTION\s*>/.exec(content)
  if (!closer) return { content, rest: '' }
  const end = closer.index + closer[0].length
  return { content: content.slice(0, closer.index), rest: content.slice(end) }
}
