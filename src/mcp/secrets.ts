import { isRecord } from '../lib/shape.ts'

/** What is sent to one server and must not come back: into no result, and no error. */
export interface Secrets {
  /** A token, or the value of a header: each word of it counts (`Bearer …`). */
  add(text: string): void
  /** The text without them. */
  redact(text: string): string
  /** JSON as a value, its texts and names without them. Throws what `JSON.parse` throws. */
  parse(json: string): unknown
}

/** Words that are shorter are no secrets, and may be anywhere. Characters. */
const SHORTEST = 8

export function createSecrets(): Secrets {
  const known = new Set<string>()
  const redact = (text: string): string =>
    [...known].reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)
  return {
    add(text) {
      for (const word of [text, ...text.split(/\s+/)]) if (word.length >= SHORTEST) known.add(word)
    },
    redact,
    parse(json) {
      if (known.size === 0) return JSON.parse(json)
      // Once parsed, an escape within a token hides nothing of it.
      return JSON.parse(json, (_key, value: unknown) => {
        if (typeof value === 'string') return redact(value)
        if (!isRecord(value)) return value
        return Object.fromEntries(Object.entries(value).map(([key, part]) => [redact(key), part]))
      })
    },
  }
}
