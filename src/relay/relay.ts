import { checkOptions, type RelayCall, type RelayOptions, type RelaySettings } from './options.ts'
import { badRequest, RelayError } from './relay-error.ts'
import { signalWithin } from '../lib/abort.ts'
import { readBodyText } from '../lib/read-text.ts'
import { checkBody, collectFields } from './check-body.ts'
import { type SettleTokens, UserLimits } from './limits.ts'
import { bytesOf, type Ending, Meter } from './meter.ts'
import { passAnswer, passError, sendUpstream } from './upstream.ts'
import type { Body, WireFormat } from './wire-format.ts'

/** A request handler, usable as a route in any framework with web-standard `Request` and `Response`. */
export type Relay = (request: Request) => Promise<Response>

/**
 * Forwards pages' calls to a model's server, with a key that pages never see. Handles `POST …/chat/completions`,
 * `…/messages` and `…/responses`, and `GET …/models`, under any path. Throws `invalid-config`.
 *
 * @example
 * export const relay = createRelay({
 *   baseURL: 'https://api.openai.com/v1',
 *   apiKey: process.env.OPENAI_API_KEY,
 *   models: ['gpt-4.1-mini'],
 *   authorize: async (request) => (await sessionOf(request))?.userId ?? null,
 * })
 */
export function createRelay(options: RelayOptions): Relay {
  const settings = checkOptions(options)
  const { allowedOrigins } = settings
  return async (request) => {
    const response =
      isPreflight(request) && allowedOrigins.size > 0
        ? preflightResponse(request)
        : await answer(request, settings).catch((error: unknown) => {
            // After a page disconnects, the error is only a consequence.
            if (!request.signal.aborted) report(error, settings)
            return errorResponse(error)
          })
    return allowOrigin(response, request, allowedOrigins)
  }
}

async function answer(request: Request, settings: RelaySettings): Promise<Response> {
  const { method, url, headers } = request
  const { pathname } = new URL(url)
  if (method === 'GET' && pathname.endsWith('/models')) {
    const user = await userOf(request, settings)
    return typeof user === 'string' ? modelList(settings.models) : user
  }
  // The page's path only selects one of three formats. No part of it gets into the fetched URL.
  const format = settings.formats.find(({ path }) => pathname.endsWith(path))
  if (!format) throw badRequest('No such path.', { status: 404 })
  if (method !== 'POST')
    throw badRequest('Use POST here.', { status: 405, headers: { allow: 'POST' } })
  // HTML forms on other sites can't send this type. Their scripts need a preflight, which allows only listed origins.
  if (!/^application\/json\b/i.test(headers.get('content-type') ?? ''))
    throw badRequest('Use application/json.', { status: 415 })
  const user = await userOf(request, settings)
  return typeof user === 'string' ? callModel(request, { user, format, settings }) : user
}

async function userOf(request: Request, { authorize }: RelaySettings): Promise<string | Response> {
  if (authorize === 'anyone') return authorize
  const user = await authorize(request)
  if (user instanceof Response || (typeof user === 'string' && user !== '')) return user
  // All objects would count as one user, `[object Object]`.
  if (user) throw new TypeError('authorize must return a string, null or a Response.')
  throw new RelayError('authentication_error', 'Sign in to use the model.')
}

/**
 * Lists the models in OpenAI's and Anthropic's form combined. The vendor's list would reveal the account's other
 * models.
 */
function modelList(models: readonly string[]): Response {
  const data = models.map((id) => ({ id, object: 'model', type: 'model' }))
  return Response.json({ object: 'list', data, has_more: false })
}

function report(error: unknown, { onError }: RelaySettings): void {
  if (!(error instanceof RelayError) || error.cause !== undefined) onError?.(error)
}

function errorResponse(error: unknown): Response {
  const relayError =
    error instanceof RelayError
      ? error
      : new RelayError('server_error', 'The relay failed.', { status: 500 })
  return relayError.toResponse()
}

/** How long browsers cache a preflight. Chromium's maximum is two hours. */
const MAX_AGE_SECONDS = 7200

/** Whether a request is a CORS preflight. */
function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method')
}

function preflightResponse({ headers }: Request): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST',
      // Allows all headers, since only `passHeaders` reach the model's server.
      'access-control-allow-headers': headers.get('access-control-request-headers') ?? '',
      'access-control-max-age': String(MAX_AGE_SECONDS),
    },
  })
}

/** Adds CORS headers that let a page of a listed origin read the response and send cookies. */
function allowOrigin(
  response: Response,
  request: Request,
  origins: ReadonlySet<string | null>,
): Response {
  if (origins.size === 0) return response
  const origin = request.headers.get('origin')
  const headers = new Headers(response.headers)
  headers.append('vary', 'origin')
  if (origin !== null && origins.has(origin)) {
    headers.set('access-control-allow-origin', origin)
    headers.set('access-control-allow-credentials', 'true')
    headers.set('access-control-expose-headers', [...response.headers.keys()].join(', '))
  }
  const { status, body } = response
  return new Response(body, { status, headers })
}

/** Time limit for reading a request's body: enough for `maxBodyBytes` over a slow connection. */
const BODY_MS = 60_000

interface CallContext {
  readonly user: string
  readonly format: WireFormat
  readonly settings: RelaySettings
}

/** Forwards one call. Throws a `RelayError` if the relay refuses it. */
async function callModel(request: Request, context: CallContext): Promise<Response> {
  const { user, format, settings } = context
  const { counter, onUsage, rules } = settings
  const amounts =
    typeof settings.limits === 'function' ? await settings.limits(user) : settings.limits
  const limits = new UserLimits(user, amounts, counter)
  // Counted before reading the body, so that requests with refused bodies are counted, too.
  await limits.takeRequest()
  const checked = checkBody(await readJson(request, settings.maxBodyBytes), format, rules)
  const call: RelayCall = { user, api: format.api, model: String(checked['model']) }
  const isMetered = limits.countsTokens || onUsage !== undefined
  const body = toJson({
    ...checked,
    ...(isMetered && usageRequest(checked, settings, format)),
    ...settings.extraBody?.(call),
  })
  const meter = isMetered
    ? new Meter(bytesOf(body) - fileCharacters(checked), rules.maxOutputTokens)
    : null
  const settle = await limits.reserveTokens(meter?.reserved ?? 0)
  const controller = new AbortController()
  // Refers to the request: in Node, its signal no longer aborts once the request is garbage-collected.
  const abort = (): void => controller.abort(request.signal.reason)
  const timer = setTimeout(abort, settings.timeoutMs)
  const finish = createFinish(meter, { settle, settings, call, timer })
  const signal = AbortSignal.any([request.signal, controller.signal])
  // Some servers abort the request without cancelling the response.
  signal.addEventListener('abort', () => void finish('cut'))
  try {
    const { response, redactor } = await sendUpstream(request, { format, settings, body, signal })
    if (response.ok) return await passAnswer(response, { redactor, meter, finish, abort })
    const refusal = await passError(response, redactor)
    await finish('failed')
    return refusal
  } catch (error) {
    // After an abort, the vendor still bills the output so far.
    await finish(signal.aborted ? 'cut' : 'failed')
    throw error
  }
}

interface Account {
  readonly settle: SettleTokens
  readonly settings: RelaySettings
  readonly call: RelayCall
  readonly timer: ReturnType<typeof setTimeout>
}

/** Counts an answer's usage once. If several endings are reported, the first counts. */
function createFinish(
  meter: Meter | null,
  { settle, settings, call, timer }: Account,
): (ending: Ending) => Promise<void> {
  let isOpen = true
  return async (ending) => {
    if (!isOpen) return
    isOpen = false
    clearTimeout(timer)
    try {
      const usage = ending === 'failed' ? null : meter?.end(ending === 'whole')
      await settle(usage ? usage.inputTokens + usage.outputTokens : 0)
      if (usage) await settings.onUsage?.({ ...call, ...usage })
    } catch (error) {
      settings.onError?.(error)
    }
  }
}

/**
 * Requests usage in the stream, which Chat Completions reports only on request. Mistral always reports it, and refuses
 * the field.
 */
function usageRequest(
  { stream, stream_options: options }: Body,
  { upstream }: RelaySettings,
  { api }: WireFormat,
): Body {
  const isMistral = upstream.hostname === 'api.mistral.ai'
  if (api !== 'chat-completions' || stream !== true || isMistral) return {}
  return { stream_options: { ...(options as object | null), include_usage: true } }
}

async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const checkSize = (bytes: number): void => {
    if (bytes > maxBytes)
      throw new RelayError(
        'request_too_large',
        `The relay takes bodies of up to ${maxBytes} bytes.`,
      )
  }
  checkSize(Number(request.headers.get('content-length')))
  const notJson = (): RelayError => badRequest('The body is no JSON.')
  const signal = signalWithin(BODY_MS, request.signal)
  try {
    const text = await readBodyText(request.body, {
      onProgress: checkSize,
      notUtf8: notJson,
      signal,
    })
    return JSON.parse(text)
  } catch (error) {
    if (signal.aborted && !request.signal.aborted)
      throw badRequest('The body came too late.', { status: 408 })
    throw error instanceof SyntaxError ? notJson() : error
  }
}

function toJson(body: Body): string {
  try {
    return JSON.stringify(body)
  } catch (error) {
    // `JSON.stringify` overflowed the call stack.
    if (error instanceof RangeError) throw badRequest('The body is nested too deeply.')
    throw error
  }
}

const BASE64 = /^[A-Za-z0-9+/=]*$/
const DATA_URL =
  /^data:((image|audio|video)\/[^,]{1,200}|application\/pdf);base64,[A-Za-z0-9+/=]*$/i

/** Characters of inline files, except text files. Files cost by their content, not their size. */
function fileCharacters(body: Body): number {
  let count = 0
  for (const { key, value, parent } of collectFields(body)) {
    if (typeof value !== 'string') continue
    const isBytes = key === 'data' && (parent['type'] === 'base64' || 'format' in parent)
    const isUrl = key === 'url' || key === 'image_url' || key === 'file_data'
    if ((isBytes && BASE64.test(value)) || (isUrl && DATA_URL.test(value))) count += value.length
  }
  return count
}
