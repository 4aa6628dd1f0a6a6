import type { RequestConfig } from '../provider.ts'

/** Shorter ones are no secrets, and replacing them would mangle the text. */
const MIN_SECRET_LENGTH = 6

/** What must never be in an error: the key, and the values of headers that sign the request. */
export function secretsOf(config: RequestConfig): string[] {
  const values = [config.apiKey ?? '', ...Object.values(config.headers ?? {})]
  const bare = values.map((value) => value.replace(/^(bearer|basic|token)\s+/i, '').trim())
  return [...values, ...bare].filter((value) => value.length >= MIN_SECRET_LENGTH)
}

/** The text without the secrets. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text)
}
