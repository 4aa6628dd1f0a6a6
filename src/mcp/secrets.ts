import { isRecord } from '../lib/shape.ts'

/** Secrets that were sent to one server. They are removed from its results and errors. */
export interface Secrets {
  /** Adds a token. Only the newest tokens are remembered. */
  add(token: string): void
  /** Returns the text without the secrets. */
  redact(text: string): string
  /** Parses JSON and removes the secrets from its texts and keys. Throws what `JSON.parse` throws. */
  parse(json: string): unknown
}

/** Shortest text that counts as a secret: shorter ones could occur anywhere. Characters. */
const SHORTEST = 8
/**
 * Most tokens to remember: they are renewed for as long as the page is open. A server that returns an older one has
 * kept it on purpose.
 */
const MOST_TOKENS = 50

/** `lasting`: secrets of every request, the values of headers. Each word counts by itself, too (`Bearer …`). */
export function createSecrets(lasting: readonly string[]): Secrets {
  const tokens = new Set<string>()
  let longestFirst = wordsOf(lasting)
  const redact = (text: string): string =>
    longestFirst.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)
  return {
    add(token) {
      tokens.delete(token)
      tokens.add(token)
      const [oldest] = tokens
      if (tokens.size > MOST_TOKENS && oldest !== undefined) tokens.delete(oldest)
      longestFirst = wordsOf([...lasting, ...tokens])
    },
    redact,
    parse(json) {
      if (longestFirst.length === 0) return JSON.parse(json)
      // Redacting happens after parsing, because escapes in the JSON could hide a token.
      return JSON.parse(json, (_key, value: unknown) => {
        if (typeof value === 'string') return redact(value)
        if (!isRecord(value)) return value
        return Object.fromEntries(Object.entries(value).map(([key, part]) => [redact(key), part]))
      })
    },
  }
}

/** Longest first, so that a secret that begins with another one is removed whole. */
function wordsOf(texts: readonly string[]): readonly string[] {
  const words = texts
    .flatMap((text) => [text, ...text.split(/\s+/)])
    .filter(({ length }) => length >= SHORTEST)
  return [...new Set(words)].toSorted((one, other) => other.length - one.length)
}
