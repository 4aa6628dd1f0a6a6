import { isRecord } from './is-record.ts'

/** Replaces a secret. */
const MARK = '[redacted]'

/** A range of positions in a text. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface Found {
  readonly secrets: readonly Span[]
  /** Position from which on the text may be the beginning of a secret. */
  readonly openFrom: number
}

/** Removes secrets from texts, both plain and JSON-escaped. */
export class Redactor {
  readonly #secrets = new Set<string>()
  /** Matches the first characters of all secrets. Null while none is known. */
  #start: RegExp | null = null

  constructor(secrets: readonly string[] = []) {
    this.add(secrets)
  }

  get isIdle(): boolean {
    return this.#start === null
  }

  add(secrets: readonly string[]): void {
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
    for (let match = start?.exec(text); start && match; match = start.exec(text)) {
      const from = match.index
      const { to, isOpen } = this.#match(text, from)
      if (isOpen) openFrom = Math.min(openFrom, from)
      if (to === from) continue
      secrets.push({ from, to })
      start.lastIndex = to
    }
    return { secrets, openFrom }
  }

  redact(text: string): string {
    let clean = ''
    let at = 0
    for (const { from, to } of this.find(text).secrets) {
      clean += text.slice(at, from) + MARK
      at = to
    }
    return clean + text.slice(at)
  }

  /** A copy of the value without secrets in its strings and names. */
  redactAll<Value>(value: Value): Value {
    return this.isIdle ? value : (this.#redactStrings(value) as Value)
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
      if (isWhole) to = Math.max(to, at + length)
    }
    return { to, isOpen }
  }

  #redactStrings(value: unknown): unknown {
    if (typeof value === 'string') return this.redact(value)
    if (Array.isArray(value)) return value.map((item) => this.#redactStrings(item))
    if (!isRecord(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [this.redact(name), this.#redactStrings(item)]),
    )
  }
}
