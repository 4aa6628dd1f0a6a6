import type { ErrorCode, ErrorData } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { classifyError, isRetryable } from './classify-error.ts'
import { defined } from './defined.ts'
import { parseJson } from './read-json.ts'
import { MAX_MESSAGE, readErrorBody, readVendorError, type VendorError } from './vendor-error.ts'

/** Advice for developers, by error code, where the code is enough to know it. */
const advice: { readonly [code in ErrorCode]?: string } = {
  authentication: 'Check the apiKey of the model configuration.',
  'permission-denied': 'Check what the key may use, and that the server allows this page.',
  'model-not-found': 'Check the model name; a local server may have to download or load it first.',
  'tools-unsupported': "Use toolMode 'action' for this model.",
  'quota-exceeded': 'Check the balance and limits of the account.',
}

/** Advice for reasoning models, whose tools OpenAI refuses on Chat Completions. */
const OTHER_API = "Set api: 'responses' in the model configuration."

const CHECK_PATH =
  'Check the path of the baseURL (most servers want it to end in /v1) and the model name.'

/** Whether a 2xx answer means 404: LM Studio's reply to an unknown path. */
export function isWrongPath(text: string): boolean {
  return /unexpected endpoint or method/i.test(text)
}

/** The error of a response that isn't 2xx, with the provider's message. */
export function httpError({ status, headers }: Response, bodyText: string): ErrorData {
  const vendor = readErrorBody(parseJson(bodyText) ?? parseJson(eventData(bodyText)))
  const message = vendor?.message ?? plainText(bodyText)
  return errorFromVendor(
    { labels: [], ...vendor, message, status },
    `The endpoint answered ${status}: ${message || 'no message'}`,
    headers,
  )
}

/** The data of a body that is one event: an endpoint may answer an error in its streaming format. */
function eventData(body: string): string {
  return body.replace(/^\s*(event:[^\n]*\n)?data:/, '')
}

/** The error that a chunk of a 2xx answer holds, or undefined when it holds none. */
export function streamError(chunk: unknown): ErrorData | undefined {
  const vendor = readVendorError(chunk)
  return vendor && errorFromVendor(vendor)
}

/** Reads a whole JSON body of a 2xx answer as an error, even without the word "error" in it. */
export function bodyError(body: unknown): ErrorData | undefined {
  const vendor = readErrorBody(body)
  return vendor && errorFromVendor(vendor)
}

function errorFromVendor(
  vendor: VendorError,
  words: string = vendor.message,
  headers: Headers = new Headers(),
): ErrorData {
  const { contextWindow, field, labels, message, promptTokens, status } = vendor
  const code = classifyError(vendor)
  const isNoPath = code === 'bad-request' && (status === 404 || status === 405)
  const asksForResponses = /reasoning_effort.*\/responses/.test(message)
  const hint =
    isNoPath || isWrongPath(message) ? CHECK_PATH : asksForResponses ? OTHER_API : advice[code]
  const retryAfterMs = readRetryAfter(headers, Date.now())
  const limits = { ...rateLimits(headers), ...defined({ contextWindow, promptTokens }) }
  return {
    code,
    message: withAdvice(words, hint),
    retryable: isRetryable(code),
    details: {
      ...defined({ status, field, retryAfterMs }),
      ...(labels.length > 0 && { labels }),
      ...(Object.keys(limits).length > 0 && { limits }),
    },
  }
}

/** Joins two sentences that stay apart even where a page shows the line break as a space. */
function withAdvice(message: string, hint: string | undefined): string {
  if (hint === undefined) return message
  return `${/[.!?:;…]["')\]]?$/.test(message) ? message : `${message}.`}\n${hint}`
}

/** The error's own message, without the general advice for its code. */
export function withoutAdvice({ code, message }: ErrorData): string {
  const hint = `\n${advice[code]}`
  return message.endsWith(hint) ? message.slice(0, -hint.length) : message
}

/** The limits a server announces in `x-ratelimit-*` and `anthropic-ratelimit-*`, by header name. */
function rateLimits(headers: Headers): JsonObject {
  return Object.fromEntries([...headers].filter(([name]) => /^(x|anthropic)-ratelimit-/.test(name)))
}

/** The text of a text or HTML body, cut to a length that an error can carry. */
export function plainText(body: string): string {
  const withoutCode = body.replace(/<(script|style)\b[^]*?(<\/\1>|$)/gi, ' ')
  return withoutCode
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_MESSAGE)
}

/**
 * Milliseconds a server asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP date
 * (RFC 9110 §10.2.3). Undefined when it is absent or unreadable.
 */
function readRetryAfter(headers: Headers, now: number): number | undefined {
  const ms = Number(headers.get('retry-after-ms') ?? NaN)
  if (ms >= 0) return ms
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  const seconds = Number(value)
  if (seconds >= 0) return Math.round(seconds * 1000)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
