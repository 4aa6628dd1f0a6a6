import { isRecord } from '../../lib/is-record.ts'

/** Replaces a secret. */
const MARK = '[redacted]'

/** Fewest characters by which a truncated secret is recognised. */
const KNOWN_BY = 16

/** A piece of a text. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface Found {
  readonly secrets: readonly Span[]
  /** From this position on, the text may be the beginning of a secret. */
  readonly openFrom: number
}

/** Removes secrets from texts, both plain and JSON-escaped. */
export class Redactor {
  readonly #secrets = new Set<string>()
  /** Matches the first characters of all secrets. Null while none is known. */
  #start: RegExp | null = null

  constructor(secrets: readonly string[] = []) {
    this.learn(secrets)
  }

  get isIdle(): boolean {
    return this.#start === null
  }

  learn(secrets: readonly string[]): void {
    const size = this.#secrets.size
    for (const secret of secrets) this.#secrets.add(secret).add(JSON.stringify(secret).slice(1, -1))
    if (this.#secrets.size === size) return
    const codes = [...this.#secrets].map(
      (secret) => `\\u${secret.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    this.#start = new RegExp(`[${codes.join('')}]`, 'g')
  }

  find(text: string): Found {
    const secrets: Span[] = []
    let openFrom = text.length
    const start = this.#start
    if (start) start.lastIndex = 0
    for (let found = start?.exec(text); start && found; found = start.exec(text)) {
      const from = found.index
      const { to, isOpen } = this.#match(text, from)
      if (isOpen) openFrom = Math.min(openFrom, from)
      if (to === from) continue
      secrets.push({ from, to })
      start.lastIndex = to
    }
    return { secrets, openFrom }
  }

  clean(text: string): string {
    return withMarks(text, this.find(text).secrets, { from: 0, to: text.length })
  }

  /** A copy of the value with all strings and keys cleaned. */
  cleanAll<Value>(value: Value): Value {
    const clean = (text: string): string => this.clean(text)
    return this.isIdle ? value : (mapStrings(value, clean, clean) as Value)
  }

  /** End of the longest secret that begins at `at`. `isOpen`: more text might make it longer. */
  #match(text: string, at: number): { readonly to: number; readonly isOpen: boolean } {
    let to = at
    let isOpen = false
    for (const secret of this.#secrets) {
      let length = 0
      while (length < secret.length && text[at + length] === secret[length]) length++
      const isWhole = length === secret.length
      if (!isWhole && at + length === text.length) isOpen = true
      if (isWhole || length >= KNOWN_BY) to = Math.max(to, at + length)
    }
    return { to, isOpen }
  }
}

/** A piece of the text without the secrets. A mark replaces each secret that begins in it. */
export function withMarks(text: string, secrets: readonly Span[], piece: Span): string {
  let clean = ''
  let at = piece.from
  for (const { from, to } of secrets) {
    if (to <= at || from >= piece.to) continue
    if (from >= at) clean += text.slice(at, from) + MARK
    at = Math.min(to, piece.to)
  }
  return clean + text.slice(at, piece.to)
}

/**
 * A copy of the data with `change` applied to each string and `rename` to each name. `path` is the string's position.
 * The path includes an object's `index`, so that calls that a server streams in parallel get different paths.
 */
export function mapStrings(
  data: unknown,
  change: (text: string, path: string) => string,
  rename: (name: string) => string = (name) => name,
): unknown {
  const visit = (value: unknown, path: string): unknown => {
    if (typeof value === 'string') return change(value, path)
    if (Array.isArray(value)) return value.map((item, index) => visit(item, `${path}/${index}`))
    if (!isRecord(value)) return value
    const { index } = value
    const own = typeof index === 'number' || typeof index === 'string' ? `${path}#${index}` : path
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [rename(name), visit(item, `${own}/${name}`)]),
    )
  }
  return visit(data, '')
}
