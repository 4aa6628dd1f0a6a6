import { describeThrown, type ErrorCode, type ErrorData } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { classifyError } from './classify-error.ts'
import {
  omitUndefined,
  asCount,
  asList,
  asRecord,
  asText,
  type JsonRecord,
  parseJson,
} from './read-json.ts'
import { isRetryable, readRetryAfter } from './retry.ts'
import type { StreamPart } from '../../protocol/message.ts'

/** Maximum characters of the provider's message, and of each label, that an error keeps. */
const MAX_MESSAGE = 2_000
const MAX_LABEL = 100

/** The provider's description of an error. */
interface VendorError {
  readonly message: string
  /** `code` and `type` as sent, for classification. */
  readonly labels: readonly string[]
  /** Path of the request's field that caused the error, such as `messages.2.name`. */
  readonly field?: string
  /** HTTP status inside the body. */
  readonly status?: number
  /** Token counts that some servers add to an overflow. */
  readonly contextWindow?: number
  readonly promptTokens?: number
}

/**
 * Returns the error in a JSON body or chunk; undefined if there is none. Shapes: OpenAI and most others `{ error: {
 * message, type, code } }`; Anthropic the same with `type: 'error'`; Ollama `{ error: '…' }`; vLLM `{ object: 'error',
 * message }`; FastAPI `{ detail }`; OpenRouter `error.metadata.raw`; Gemini a list with one error; MiniMax `{
 * base_resp: { status_code, status_msg } }`; and a message with a status of 400 or more, `error: true` or `status:
 * 'error'`.
 */
function readVendorError(body: unknown): VendorError | undefined {
  const record = asRecord(Array.isArray(body) ? body[0] : body)
  if (!record) return undefined
  const error = unwrapError(record['error'])
  if (typeof error === 'string' && error !== '') return vendorError(error, record)
  const nested = asRecord(error)
  if (nested && Object.keys(nested).length > 0) return readNested(nested)
  const base = asRecord(record['base_resp'])
  if (base && asCount(base['status_code']) !== 0) {
    return vendorError(asText(base['status_msg']) ?? 'unknown error', { code: base['status_code'] })
  }
  if (record['object'] === 'error' || record['type'] === 'error') {
    return vendorError(messageOf(record) ?? 'unknown error', record)
  }
  const message = messageOf(record)
  if (message === undefined) return undefined
  const isError = error === true || record['status'] === 'error' || statusOf(record) !== undefined
  return isError ? vendorError(message, record) : undefined
}

/** Gateways wrap errors in lists and objects that have no message. Removes these wrappers. */
function unwrapError(error: unknown): unknown {
  let current = error
  for (let depth = 0; depth < 4; depth++) {
    const record = asRecord(current)
    const isBare = record !== undefined && messageOf(record) === undefined
    const inner: unknown = Array.isArray(current)
      ? current[0]
      : isBare
        ? record['error']
        : undefined
    if (!inner) break
    current = inner
  }
  return current
}

/** The HTTP status, if it is a failure. */
function statusOf(source: JsonRecord): number | undefined {
  const status =
    asCount(source['status']) ?? asCount(source['status_code']) ?? asCount(source['code'])
  return status !== undefined && status >= 400 && status < 600 ? status : undefined
}

/** Like `readVendorError`, for a body that is known to be an error. Also accepts looser shapes. */
export function readErrorBody(body: unknown): VendorError | undefined {
  const vendor = readVendorError(body)
  if (vendor) return vendor
  const record = asRecord(body)
  const message = record && messageOf(record)
  return record && message !== undefined ? vendorError(message, record) : undefined
}

function readNested(error: JsonRecord): VendorError {
  const upstream = asText(asRecord(error['metadata'])?.['raw'])
  const message = messageOf(error) ?? JSON.stringify(error)
  return vendorError(upstream === undefined ? message : `${message}: ${upstream}`, error)
}

function messageOf(record: JsonRecord): string | undefined {
  const { message, msg, detail, error_msg: errorMsg, error_message: errorMessage } = record
  const { text: errorText } = record['error_code'] === undefined ? {} : record
  for (const value of [message, msg, detail, errorMsg, errorMessage, errorText]) {
    const inner = asRecord(value)
    const text = asText(value) ?? asText(inner?.['message']) ?? asText(inner?.['msg'])
    if (text !== undefined) return text
  }
  const texts = entriesOf(record).map((entry) => {
    const { loc, ...rest } = asRecord(entry) ?? {}
    const text = asText(entry) ?? messageOf(rest)
    const path = pathOf(loc)
    return path === undefined ? text : `${path}: ${text ?? 'refused'}`
  })
  return asText(texts.filter((text) => text !== undefined).join('; '))
}

/** A list of errors: `errors`, or FastAPI's `detail`, which Mistral puts into `message`. */
function entriesOf({ message, detail, errors }: JsonRecord): readonly unknown[] {
  const inner = asRecord(message)?.['detail']
  return asList([detail, message, inner, errors].find(Array.isArray))
}

/** Converts a pydantic path, such as `["body", "messages", 2, "name"]`. */
function pathOf(loc: unknown): string | undefined {
  return asText(
    asList(loc)
      .filter((name) => name !== 'body')
      .join('.'),
  )
}

/** The field from OpenAI's `param` or pydantic's `loc`. */
function fieldOf(record: JsonRecord): string | undefined {
  const [first] = entriesOf(record)
  return asText(record['param']) ?? pathOf(asRecord(first)?.['loc'])
}

function vendorError(text: string, source: JsonRecord): VendorError {
  const message = text.slice(0, MAX_MESSAGE)
  const labels = [source['code'], source['type']].flatMap((label) =>
    typeof label === 'string' || typeof label === 'number'
      ? [String(label).slice(0, MAX_LABEL)]
      : [],
  )
  const status = statusOf(source)
  const field = fieldOf(source)?.slice(0, MAX_LABEL)
  const statedWindow = CONTEXT_WINDOW.exec(message)?.[1]?.replaceAll(',', '')
  const contextWindow = asCount(source['n_ctx']) ?? asCount(statedWindow)
  const promptTokens = asCount(source['n_prompt_tokens'])
  return { message, labels, ...omitUndefined({ status, field, contextWindow, promptTokens }) }
}

const CONTEXT_WINDOW = /maximum (?:context|prompt|allowed input) length (?:is|of) (\d[\d,]*)/i

/**
 * Error of a request without an answer. Browsers hide the cause behind vague messages (Chrome "Failed to fetch",
 * Firefox "NetworkError …", Safari "Load failed"). Therefore the message lists all likely causes, each with a way to
 * check it.
 */
export function networkError(thrown: unknown, url: URL): ErrorData {
  const causes = [
    `The server isn't running, or the address is wrong: open ${url.origin} in a tab.`,
    'CORS: the server must allow the origin of this page and the headers content-type and authorization. (Ollama: OLLAMA_ORIGINS; LM Studio: "Enable CORS"; vLLM: --allowed-origins; LocalAI: --cors.)',
    ...(url.protocol === 'http:'
      ? ['Mixed content: a page on https may call plain http on localhost only.']
      : ['TLS: the certificate must be valid.']),
    'Local network: public pages need permission for local addresses; check the site settings.',
    "Content-Security-Policy: connect-src must allow it, in the policy of the worker's file too.",
    'Redirects are refused: use the final address as baseURL.',
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

/** Error of an interrupted answer: the connection was reset, or the stream ended without its end marker. */
export function incompleteError(thrown?: unknown): ErrorData {
  const cause = thrown === undefined ? 'the stream ended early' : describeCause(thrown)
  return {
    code: 'stream-incomplete',
    message: `The answer was cut short before its end was proven (${cause}).`,
    retryable: true,
  }
}

export function timeoutError(phase: 'first-chunk' | 'idle', limitMs: number): ErrorData {
  const message =
    phase === 'first-chunk'
      ? `The endpoint sent nothing for ${limitMs} ms (timeouts.firstChunkMs). A local model may still be loading.`
      : `The endpoint fell silent for ${limitMs} ms (timeouts.idleMs).`
  return { code: 'timeout', message, retryable: true, details: { phase, limitMs } }
}

export function abortedError(signal: AbortSignal): ErrorData {
  const reason: unknown = signal.reason
  const suffix = typeof reason === 'string' ? `: ${reason}` : '.'
  return { code: 'aborted', message: `The request was aborted${suffix}`, retryable: false }
}

/** Error of a 2xx answer that doesn't come from a model. */
export function badResponseError(options: {
  readonly contentType: string | null
  readonly body: string
}): ErrorData {
  const contentType = options.contentType ?? 'none'
  const isEmpty = options.body.trim() === ''
  const excerpt = (plainText(options.body) || options.body).slice(0, 300)
  const content = isEmpty ? 'an empty body' : `this: ${excerpt}`
  return {
    code: 'bad-response',
    message: `The endpoint sent no event stream or JSON (content type: ${contentType}), but ${content}\nCheck the baseURL: a proxy or a login page may have answered.`,
    retryable: isEmpty,
    details: { contentType },
  }
}

export function tooLargeError(limit: number): ErrorData {
  return {
    code: 'response-too-large',
    message: `The endpoint sent more than ${limit} characters without an end.`,
    retryable: false,
    details: { limit },
  }
}

function describeCause(thrown: unknown): string {
  const text = describeThrown(thrown)
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return cause instanceof Error ? `${text}: ${describeThrown(cause)}` : text
}

/** Error of a second answer in the middle of the first: either could be the valid one. */
export function secondAnswerError(): StreamPart[] {
  const message = 'The endpoint restarted its answer; nothing was run.'
  return [{ type: 'error', error: { code: 'bad-response', message, retryable: true } }]
}

/** Error of invalid JSON. Ends the answer, because lost data could change a call. */
export function brokenJsonError(text: string): ErrorData {
  return {
    code: 'bad-response',
    message: `The endpoint sent JSON that can't be read: ${text.slice(0, 200)}`,
    retryable: true,
  }
}

/** Advice for developers, by error code. Codes with several possible causes have none. */
const advice: { readonly [code in ErrorCode]?: string } = {
  authentication: 'Check the apiKey of the model configuration.',
  'permission-denied': 'Check what the key may use, and that the server allows this page.',
  'model-not-found': 'Check the model name; a local server may have to download or load it first.',
  'tools-unsupported': "Use toolMode 'action' for this model.",
  'quota-exceeded': 'Check the balance and limits of the account.',
}

/** Advice for reasoning models, whose tools OpenAI refuses on Chat Completions. */
const OTHER_API = "Set api: 'responses'."

const CHECK_PATH =
  'Check the path of the baseURL (most servers want it to end in /v1) and the model name.'

/** Whether a 2xx answer means 404. LM Studio replies this way to an unknown path. */
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

/** Returns the data of a body that is a single event: an endpoint may send an error in its streaming format. */
function eventData(body: string): string {
  return body.replace(/^\s*(event:[^\n]*\n)?data:/, '')
}

/** The error in a chunk of a 2xx answer; undefined if there is none. */
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
  text: string = vendor.message,
  headers: Headers = new Headers(),
): ErrorData {
  const { contextWindow, field, labels, message, promptTokens, status } = vendor
  const code = classifyError(vendor)
  const isNoPath = code === 'bad-request' && (status === 404 || status === 405)
  const asksForResponses = /reasoning_effort.*\/responses/.test(message)
  const hint =
    isNoPath || isWrongPath(message) ? CHECK_PATH : asksForResponses ? OTHER_API : advice[code]
  const retryAfterMs = readRetryAfter(headers, Date.now())
  const limits = { ...rateLimits(headers), ...omitUndefined({ contextWindow, promptTokens }) }
  return {
    code,
    message: withAdvice(text, hint),
    retryable: isRetryable(code),
    details: {
      ...omitUndefined({ status, field, retryAfterMs }),
      ...(labels.length > 0 && { labels }),
      ...(Object.keys(limits).length > 0 && { limits }),
    },
  }
}

/**
 * Joins two sentences by a line break. The first must end with a period, because a page may show the break as a space.
 */
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
