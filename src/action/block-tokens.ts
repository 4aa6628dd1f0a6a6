import { endOfCdata } from './xml-text.ts'

export type TokenKind = 'open' | 'close' | 'cdata' | 'comment' | 'doctype' | 'instruction'

/** A piece of markup. `end` is the end of a CDATA section, or of a tag's name (attributes are read on demand). */
export interface Token {
  readonly kind: TokenKind
  readonly name: string
  readonly start: number
  readonly end: number
}

/** Start of markup. A `<` before anything else is text. */
const markup =
  /<!\[cdata\[|<!--|<!doctype|<\?|<(\/?)([A-Za-z_\u0080-\uffff][\w.:\u0080-\uffff-]*)/gi

/** The markup of a block, tokenized in one pass so that later queries are look-ups. */
export class BlockTokens {
  readonly text: string
  readonly all: readonly Token[]
  readonly #closers = new Map<string, Token[]>()
  readonly #openers = new Map<string, number[]>()
  #commentEnd = { from: 0, at: -2 }

  constructor(text: string) {
    this.text = text
    this.all = tokenize(text)
    for (const token of this.all) {
      if (token.kind === 'close') push(this.#closers, token.name, token)
      else if (token.kind === 'open') push(this.#openers, token.name, token.start)
    }
  }

  /** Yields closing tags of `name` within a range, in order. */
  *closers(name: string, from: number, to: number): Generator<Token> {
    const list = this.#closers.get(name) ?? []
    for (let index = lowerBound(list, from, (token) => token.start); index < list.length; index++) {
      const token = list[index]
      if (!token || token.start >= to) return
      yield token
    }
  }

  /** Counts opening tags of `name` within a range. */
  countOpeners(name: string, from: number, to: number): number {
    const list = this.#openers.get(name) ?? []
    return lowerBound(list, to, (start) => start) - lowerBound(list, from, (start) => start)
  }

  /** Returns the index in `all` of the first token at or after a position. */
  indexFrom(position: number): number {
    return lowerBound(this.all, position, (token) => token.start)
  }

  /** Returns the end of the comment that opens at `start`; -1 if it is never closed. Amortised constant time. */
  endOfComment(start: number): number {
    const known = this.#commentEnd
    if (known.at === -1 && start >= known.from) return -1
    if (known.at < start + 4 || start < known.from)
      this.#commentEnd = { from: start, at: this.text.indexOf('-->', start + 4) }
    const at = this.#commentEnd.at
    return at < 0 ? -1 : at + 3
  }
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  markup.lastIndex = 0
  for (let found = markup.exec(text); found; found = markup.exec(text)) {
    const token = toToken(found, text)
    tokens.push(token)
    markup.lastIndex = token.end
  }
  return tokens
}

function toToken(found: RegExpExecArray, text: string): Token {
  const start = found.index
  const end = start + found[0].length
  const name = found[2]
  if (name !== undefined) return { kind: found[1] === '/' ? 'close' : 'open', name, start, end }
  if (found[0] === '<!--') return { kind: 'comment', name: '', start, end }
  if (found[0] === '<?') return { kind: 'instruction', name: '', start, end }
  if (found[0].length === 9 && found[0][2] !== '[') return { kind: 'doctype', name: '', start, end }
  const after = endOfCdata(text, start)
  return { kind: 'cdata', name: '', start, end: after < 0 ? text.length : after }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}

function lowerBound<T>(list: readonly T[], position: number, key: (entry: T) => number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    const entry = list[middle]
    if (entry !== undefined && key(entry) < position) low = middle + 1
    else high = middle
  }
  return low
}
