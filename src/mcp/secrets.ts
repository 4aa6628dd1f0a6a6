import { isRecord } from '../lib/shape.ts'

/** What is sent to one server and must not come back: into no result, and no error. */
export interface Secrets {
  /** A token. Of those that were added, the newest count. */
  add(token: string): void
  /** The text without them. */
  redact(text: string): string
  /** JSON as a value, its texts and names without them. Throws what `JSON.parse` throws. */
  parse(json: string): unknown
}

/** Words that are shorter are no secrets, and may be anywhere. Characters. */
const SHORTEST = 8
/** Tokens are renewed for as long as the page is open; a server that sends back an old one has kept it on purpose. */
const MOST_TOKENS = 50

/** `lasting`: what goes along with every request, the values of headers. Each word of a text counts (`Bearer …`). */
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
      // Once parsed, an escape within a token hides nothing of it.
      return JSON.parse(json, (_key, value: unknown) => {
        if (typeof value === 'string') return redact(value)
        if (!isRecord(value)) return value
        return Object.fromEntries(Object.entries(value).map(([key, part]) => [redact(key), part]))
      })
    },
  }
}

/** Longest first: of a secret that begins with another one, nothing stays. */
function wordsOf(texts: readonly string[]): readonly string[] {
  const words = texts
    .flatMap((text) => [text, ...text.split(/\s+/)])
    .filter(({ length }) => length >= SHORTEST)
  return [...new Set(words)].toSorted((one, other) => other.length - one.length)
}
