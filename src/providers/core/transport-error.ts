import { describeThrown, type ErrorData } from '../../protocol/error.ts'
import type { StreamPart } from '../../protocol/stream-part.ts'
import { plainText } from './provider-error.ts'

/**
 * Error of a request without an answer. Browsers hide the cause behind vague messages (Chrome "Failed to fetch",
 * Firefox "NetworkError …", Safari "Load failed"). Therefore this one lists all likely causes, each with a way to
 * check it.
 */
export function networkError(thrown: unknown, url: URL): ErrorData {
  const causes = [
    `The server isn't running, or the address is wrong: open ${url.origin} in a tab or with curl.`,
    'CORS: the server must allow the origin of this page and the headers content-type and authorization; the browser console names the refusal. (Ollama: OLLAMA_ORIGINS; LM Studio: "Enable CORS"; vLLM: --allowed-origins; LocalAI: --cors.)',
    ...(url.protocol === 'http:'
      ? [
          'Mixed content: a page on https may call plain http on localhost only; serve the endpoint with https, or the page with http.',
        ]
      : ['TLS: the certificate must be valid; open the address in a tab to see.']),
    'Local network: browsers ask a person before a public page may reach local addresses; check the permission in the site settings.',
    "Content-Security-Policy: connect-src must allow it, in the policy of the worker's file too. (Safari doesn't tell workers of a refusal; other browsers do.)",
    'A redirect: redirects are refused; use the final address as baseURL.',
    'The device is offline.',
  ]
  return {
    code: 'network',
    message: [
      `${url.origin} could not be reached (${describeCause(thrown)}). Likely causes, and how to check:`,
      ...causes.map((cause, index) => `${index + 1}. ${cause}`),
    ].join('\n'),
    retryable: true,
    details: { origin: url.origin },
  }
}

/** Error of an answer that broke off: the connection was reset, or the stream ended without its end marker. */
export function incompleteError(thrown?: unknown): ErrorData {
  const words = thrown === undefined ? 'the stream ended early' : describeCause(thrown)
  return {
    code: 'stream-incomplete',
    message: `The answer was cut short before its end was proven (${words}).`,
    retryable: true,
  }
}

export function timeoutError(phase: 'first-chunk' | 'idle', limitMs: number): ErrorData {
  const message =
    phase === 'first-chunk'
      ? `The endpoint sent nothing within ${limitMs} ms. A local model may still be loading; timeouts.firstChunkMs sets the limit.`
      : `The endpoint fell silent for ${limitMs} ms in the middle of its answer; timeouts.idleMs sets the limit.`
  return { code: 'timeout', message, retryable: true, details: { phase, limitMs } }
}

export function abortedError(signal: AbortSignal): ErrorData {
  const reason: unknown = signal.reason
  const words = typeof reason === 'string' ? `: ${reason}` : '.'
  return { code: 'aborted', message: `The request was aborted${words}`, retryable: false }
}

/** Error of a 2xx answer that doesn't come from a model. */
export function badResponseError(options: {
  readonly contentType: string | null
  readonly body: string
}): ErrorData {
  const contentType = options.contentType ?? 'none'
  const isEmpty = options.body.trim() === ''
  const words = (plainText(options.body) || options.body).slice(0, 300)
  const what = isEmpty ? 'an empty body' : `this: ${words}`
  return {
    code: 'bad-response',
    message: `The endpoint answered with neither an event stream nor JSON (content type: ${contentType}), but with ${what}\nCheck the baseURL: a proxy, a login page or another service may have answered.`,
    retryable: isEmpty,
    details: { contentType },
  }
}

export function tooLargeError(limit: number): ErrorData {
  return {
    code: 'response-too-large',
    message: `The endpoint sent more than ${limit} characters without an end of line or event.`,
    retryable: false,
    details: { limit },
  }
}

function describeCause(thrown: unknown): string {
  const words = describeThrown(thrown)
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return cause instanceof Error ? `${words}: ${describeThrown(cause)}` : words
}

/** Error of a second answer in the middle of the first: either could be the valid one. */
export function secondAnswer(): StreamPart[] {
  const message = 'The endpoint began its answer anew; nothing was run.'
  return [{ type: 'error', error: { code: 'bad-response', message, retryable: true } }]
}

/** Error of invalid JSON. Lost data could change a call, so the answer ends here. */
export function brokenJsonError(text: string): ErrorData {
  return {
    code: 'bad-response',
    message: `The endpoint sent JSON that can't be read: ${text.slice(0, 200)}`,
    retryable: true,
  }
}
