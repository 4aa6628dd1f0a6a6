import type { ErrorData } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { RequestConfig } from '../provider.ts'

/** Shorter ones are no secrets, and replacing them would mangle the text. */
const MIN_SECRET_LENGTH = 6

/** What must never be in an error: the key, and the values of the configured headers. */
export function secretsOf(config: RequestConfig): string[] {
  const values = [config.apiKey ?? '', ...Object.values(config.headers ?? {})]
  const bare = values.map((value) => value.replace(/^(bearer|basic|token)\s+/i, '').trim())
  return [...values, ...bare].filter((value) => value.length >= MIN_SECRET_LENGTH)
}

/** The error without the secrets, whatever a server may have echoed. */
export function redactError(error: ErrorData, secrets: readonly string[]): ErrorData {
  const clean = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)
  return {
    ...error,
    message: clean(error.message),
    ...(error.details && {
      details: JSON.parse(clean(JSON.stringify(error.details))) as JsonObject,
    }),
  }
}
