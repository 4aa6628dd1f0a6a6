import { type ErrorData, OffstageError, toErrorData } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Credentials, ModelConfigData } from '../../protocol/model.ts'
import type { StreamPart } from '../../protocol/message.ts'
import type {
  BatchProvider,
  HttpProviderDefinition,
  HttpRequest,
  Refused,
  RequestAdapter,
  ModelRequest,
  RequestConfig,
  RequestForm,
  StreamOptions,
} from '../provider.ts'
import { type AbortScope, createAbortScope, startWatchdog, type Watchdog } from './watchdog.ts'
import { parseURL, requestCredentials, withoutSecrets } from './secrets.ts'
import { FormMemory } from './form-memory.ts'
import { asList } from './read-json.ts'
import { createAnswerReader } from './read-answer.ts'
import { hasContent } from './part-gate.ts'
import { httpError, incompleteError, networkError, timeoutError } from './provider-error.ts'
import { watchCsp } from '../../protocol/csp.ts'
import { ownPolicyScope, policyError } from './policy-error.ts'

const FIRST_CHUNK_MS = 120_000
const IDLE_MS = 60_000
/** Maximum factor by which bytes without content extend the time limit, since models think silently for minutes. */
const SILENCE = 5
/** Milliseconds to wait for the end of an answer after its output is complete. */
const ENDING_MS = 5_000

/** Request forms, for callers that pass no adapter. */
const forms = new FormMemory()

type Definition = HttpProviderDefinition<unknown>

/** The address that uses the Responses API by default. */
const OPENAI = 'https://api.openai.com/'

interface Attempt {
  readonly definition: Definition
  readonly config: ModelConfigData
  readonly request: ModelRequest
  readonly options: StreamOptions
  readonly abortScope: AbortScope
  /**
   * Changes requests so that the server no longer refuses them. Created at the server's first refusal, unless the
   * caller gave an adapter.
   */
  adapter: RequestAdapter | undefined
}

/** Creates a provider from a wire format and a configuration. */
export function createHttpProvider(
  load: () => Promise<Definition>,
  config: ModelConfigData,
): BatchProvider {
  // Preloads the format. The first request reports a failure.
  load().catch(() => {})
  return {
    id: config.provider,
    batches: (request, options = {}) =>
      runAttempt(load, {
        config,
        // Plain JavaScript callers may omit the tools.
        request: { ...request, tools: (request.tools as ModelRequest['tools'] | undefined) ?? [] },
        options,
      }),
  }
}

/** Sends requests until one is answered or finally refused. */
async function* runAttempt(
  load: () => Promise<Definition>,
  setup: Pick<Attempt, 'config' | 'request' | 'options'>,
): AsyncGenerator<readonly StreamPart[]> {
  const { config, options } = setup
  const abortScope = createAbortScope(options.signal)
  const { firstChunkMs = FIRST_CHUNK_MS } = config.timeouts ?? {}
  const reading: Reading = { isWaiting: true, body: undefined }
  const watchdog = startWatchdog(firstChunkMs, (limitMs) =>
    abortScope.fail(timeoutError(reading.isWaiting ? 'first-chunk' : 'idle', limitMs)),
  )
  try {
    const definition = await load()
    const request = ownMetadata(setup.request, definition, config)
    const attempt: Attempt = {
      ...setup,
      request,
      definition,
      abortScope,
      adapter: options.adapter,
    }
    for (let first: ErrorData | undefined; ;) {
      const opened = await openResponse(attempt, watchdog)
      const refusal =
        'error' in opened ? opened : yield* readAnswer(attempt, opened, { watchdog, reading })
      if (!refusal) return
      const { error, body } = refusal
      const badCall = asBadCall(error)
      const willRetry =
        !badCall &&
        body !== undefined &&
        (await adapt(attempt, {
          providerId: definition.id,
          request,
          body,
          error,
          hasResponses: config.provider === 'openai' && config.api === undefined,
        }))
      // If the form has 'tools text', the caller must describe the tools as text and send the request again.
      const isOver =
        !willRetry || (request.toolMode !== 'action' && attempt.adapter?.form.has('tools text'))
      first ??= error
      if (!isOver) continue
      const isNoPath = error.details?.['status'] === 404 || error.details?.['status'] === 405
      if (badCall) yield badCall
      else if (first !== error && (isNoPath || error.code === 'bad-request')) {
        // The last refusal may be about a change of ours only, such as the path of the Responses API. Reports both
        // refusals.
        const message = [...new Set([first.message, error.message])].join('\n')
        yield [{ type: 'error', error: { ...first, message } }]
      } else yield refusal.parts ?? [{ type: 'error', error }]
      return
    }
  } catch (error) {
    yield [{ type: 'error', error: toErrorData(error) }]
  } finally {
    watchdog.stop()
    void drainBody(reading.body, abortScope)
  }
}

/** Changes the form after a refusal. Loads the adapter at the first one, since few requests are refused. */
async function adapt(attempt: Attempt, refused: Refused): Promise<boolean> {
  attempt.adapter ??= new (await import('./form-adapter.ts')).FormAdapter(forms, attempt.config)
  return attempt.adapter.handleRefusal(refused)
}

/** Chooses the wire format. OpenAI's current models take function tools on the Responses API only. */
async function definitionFor(
  { definition, config }: Attempt,
  form: RequestForm,
): Promise<Definition> {
  const { api, baseURL, provider } = config
  const isOwn = provider === 'openai' && `${baseURL ?? OPENAI}/`.startsWith(OPENAI)
  const chosenApi = api ?? (isOwn || form.has('api responses') ? 'responses' : 'chat')
  return (chosenApi === 'responses' && (await definition.responses?.())) || definition
}

function formOf({ adapter, config }: Attempt): RequestForm {
  return adapter?.form ?? forms.get(config)
}

/** Feeds a call that the endpoint could not parse (Groq's `tool_use_failed`) back to the model. */
function asBadCall(error: ErrorData): readonly StreamPart[] | undefined {
  if (!asList(error.details?.['labels']).includes('tool_use_failed')) return undefined
  return [
    { type: 'action-error', error: { code: 'malformed', message: error.message } },
    { type: 'finish', finishReason: 'other' },
  ]
}

interface FailedRequest {
  readonly error: ErrorData
  /** The parts of the answer before the error, and the error. */
  readonly parts?: readonly StreamPart[]
  /** The request's body. Undefined if no request was sent. */
  readonly body?: JsonObject
}

interface Reading {
  /** True until the answer's first content. */
  isWaiting: boolean
  /** Reader of the remaining body, once the answer's end is proven. */
  body: ReadableStreamDefaultReader<Uint8Array> | undefined
}

/** Yields the answer's parts. If a refusal arrives before any content, returns it. The loop is the hot path. */
async function* readAnswer(
  { config, request: originalRequest, abortScope, adapter }: Attempt,
  { response, definition, request, config: signed, body: sent, form }: Opened,
  { watchdog, reading }: { readonly watchdog: Watchdog; readonly reading: Reading },
): AsyncGenerator<readonly StreamPart[], FailedRequest | undefined> {
  const { firstChunkMs = FIRST_CHUNK_MS, idleMs = IDLE_MS } = config.timeouts ?? {}
  let lastContentAt = performance.now()
  let ending = false
  let isShown = false
  const state = definition.start(request, signed, form)
  const contentType = response.headers.get('content-type')
  const answer = createAnswerReader(definition, state, { ...originalRequest, contentType })
  const body = response.body?.getReader()
  abortScope.onEnd(() => void body?.cancel().catch(() => {}))
  let broken: ErrorData | undefined
  while (answer.isOpen() && !abortScope.failure()) {
    let piece: ReadableStreamReadResult<Uint8Array> | undefined
    try {
      piece = await body?.read()
    } catch (error) {
      broken = incompleteError(error)
      break
    }
    if (abortScope.failure()) break
    const batch = piece?.value ? answer.push(piece.value) : answer.end()
    const isContent = hasContent(batch)
    const silence = performance.now() - lastContentAt
    if (isContent) lastContentAt += silence
    else if (!ending && silence < SILENCE * (reading.isWaiting ? firstChunkMs : idleMs))
      watchdog.reset()
    if (isContent && reading.isWaiting) {
      reading.isWaiting = false
      watchdog.setLimit(idleMs)
    }
    if (!ending && answer.isEnding()) {
      ending = true
      watchdog.setLimit(idleMs > 0 ? Math.min(idleMs, ENDING_MS) : ENDING_MS)
    }
    if (batch.length === 0) continue
    if (isContent) watchdog.pause()
    if (isContent && !isShown) {
      isShown = true
      const warnings = adapter?.answered() ?? []
      if (warnings.length > 0) yield warnings
    }
    yield batch
    if (isContent) watchdog.reset()
  }
  if (answer.isProven()) reading.body = body
  const end = answer.close(abortScope.failure() ?? broken)
  const last = end.at(-1)
  if (!isShown && last?.type === 'error') {
    void body?.cancel().catch(() => {})
    return { error: last.error, body: sent, parts: end }
  }
  if (!isShown && last?.type === 'finish') yield adapter?.answered() ?? []
  yield end.flatMap((part) => lastParts(part, definition, signed))
  return undefined
}

interface Opened {
  readonly response: Response
  readonly definition: Definition
  /** The request with the form's changes. */
  readonly request: ModelRequest
  readonly config: RequestConfig
  readonly body: JsonObject
  readonly form: RequestForm
}

/** Sends the request. After a 401 it asks for credentials once more. */
async function openResponse(attempt: Attempt, watchdog: Watchdog): Promise<Opened | FailedRequest> {
  const { abortScope, options } = attempt
  const { provider } = attempt.config
  const form = formOf(attempt)
  const definition = await definitionFor(attempt, form)
  const baseURL = addressOf(definition, attempt.config)
  const formModule = form.size > 0 ? await import('./request-form.ts') : undefined
  const request =
    formModule?.applyFormToRequest(attempt.request, form, definition.id) ?? attempt.request
  for (let previousRejected = false; ;) {
    // The user may have to sign in first, which takes time.
    watchdog.pause()
    const credentials = await abortScope.guard(
      requestCredentials(options, previousRejected, { provider, baseURL }),
    )
    watchdog.reset()
    if (!credentials) return { error: abortScope.failure() ?? incompleteError() }
    const signed = withCredentials(attempt.config, credentials)
    const config = formModule?.applyFormToConfig(signed, form) ?? signed
    const httpRequest = definition.toRequest(request, config, form)
    const body =
      formModule?.applyFormToBody(httpRequest.body, form, config.extraBody) ?? httpRequest.body
    const answer = await openStream({ ...httpRequest, body }, abortScope, {
      fetch: options.fetch,
      credentials: config.credentials,
    })
    if ('body' in answer) return { response: answer, definition, request, config, body, form }
    const isRejected = answer.details?.['status'] === 401
    if (!isRejected || previousRejected || !options.credentials) return { error: answer, body }
    previousRejected = true
  }
}

function withCredentials(config: ModelConfigData, credentials: Credentials): RequestConfig {
  return { ...config, ...credentials, headers: { ...config.headers, ...credentials.headers } }
}

const MAX_MS = 1_500
const MAX_BYTES = 64 * 1024

/**
 * Ends a request. After a proven end, first reads the remaining body, within bounds: browsers list a request cancelled
 * just before its end as failed. Need not be awaited; never rejects.
 */
async function drainBody(
  body: ReadableStreamDefaultReader<Uint8Array> | undefined,
  abortScope: AbortScope,
): Promise<void> {
  const end = (): void => abortScope.fail(incompleteError())
  const timer = setTimeout(end, MAX_MS)
  try {
    for (let bytes = 0; body && bytes <= MAX_BYTES;) {
      const piece = await abortScope.guard(body.read())
      if (!piece || piece.done) break
      bytes += piece.value.length
    }
  } catch {
    // A connection that breaks after the proven end does no harm.
  }
  clearTimeout(timer)
  abortScope.release()
  end()
}

/** Most characters read of an error's body. */
const MAX_ERROR_BODY = 64 * 1024

/** Half of a surrogate pair, as `JSON.stringify` escapes it. Strict parsers refuse a request that contains one. */
const HALF_PAIR = /\\ud[89a-f]..(?<=(?<!\\)(?:\\\\)*\\u.{4})/g

/** Chromium's `fetch` blocks for seconds while it copies a text of megabytes, but takes a `Blob` at once. */
const MAX_TEXT_BODY = 64 * 1024

interface OpenOptions {
  readonly fetch: typeof fetch | undefined
  readonly credentials: ModelConfigData['credentials']
}

/**
 * Sends the request. Resolves to a 2xx response or to the error. No other code sends requests.
 * Refuses redirects, so that a key never reaches another origin.
 */
async function openStream(
  request: HttpRequest,
  abortScope: AbortScope,
  options: OpenOptions,
): Promise<Response | ErrorData> {
  const url = parseURL(request.url)
  if (!url)
    throw new OffstageError(
      'invalid-config',
      `Not an absolute URL: ${withoutSecrets(request.url)}. Check the baseURL.`,
    )
  const text = JSON.stringify(request.body).replace(HALF_PAIR, '\\ufffd')
  const init: RequestInit = {
    method: 'POST',
    headers: buildHeaders(request),
    body: options.fetch || text.length < MAX_TEXT_BODY ? text : new Blob([text]),
    redirect: 'error',
    credentials: options.credentials ?? 'omit',
    signal: abortScope.signal,
  }
  const send = options.fetch ?? globalThis.fetch
  const watch = watchCsp(url.href)
  let response: Response | undefined
  try {
    const sent = Promise.resolve(send(url.href, init))
    // Closes an answer that arrives after the request ended.
    sent.then((late) => abortScope.failure() && late.body?.cancel()).catch(() => {})
    response = await abortScope.guard(sent)
  } catch (error) {
    // An error of a `fetch` that runs in the page is already typed.
    if (OffstageError.is(error)) return abortScope.failure() ?? error.toData()
    const policy = abortScope.failure() ? undefined : await abortScope.guard(watch.refusedBy())
    return (
      abortScope.failure() ??
      (policy === undefined
        ? networkError(error, url)
        : policyError({ url, policy, scope: ownPolicyScope() }))
    )
  } finally {
    watch.stop()
  }
  if (!response) return abortScope.failure() ?? networkError('no response', url)
  if (response.ok) return response
  const body = await readErrorText(response, abortScope)
  return abortScope.failure() ?? httpError(response, body)
}

/** Sets as few headers as possible: each further one must pass a CORS preflight. */
function buildHeaders(request: HttpRequest): Headers {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'text/event-stream',
  })
  for (const [name, value] of Object.entries(request.headers)) {
    try {
      headers.set(name, value)
    } catch {
      // The browser's message would quote the value, which may be the key.
      throw new OffstageError(
        'invalid-config',
        `The header ${name} has a value that HTTP does not allow. Is it a shortened key?`,
      )
    }
  }
  return headers
}

async function readErrorText(response: Response, abortScope: AbortScope): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (text.length < MAX_ERROR_BODY) {
      const piece = await abortScope.guard(reader.read())
      if (!piece || piece.done) break
      text += decoder.decode(piece.value, { stream: true })
    }
  } catch {
    // The status and the text so far are enough for the error.
  }
  reader.cancel().catch(() => {})
  return text
}

/** The address of requests, without a trailing slash. */
function addressOf(definition: Definition, config: ModelConfigData): string | undefined {
  return definition.baseURL?.(config).replace(/\/+$/, '') ?? config.baseURL
}

/** The origin of requests, if the definition or the configuration has an address. */
function originOf(definition: Definition, config: ModelConfigData): string | undefined {
  return parseURL(addressOf(definition, config) ?? '')?.origin
}

/** Adds the origin of the metadata to an answer's end, and replaces the error of a bad call. */
function lastParts(
  part: StreamPart,
  definition: Definition,
  config: ModelConfigData,
): StreamPart | readonly StreamPart[] {
  if (part.type === 'error') return asBadCall(part.error) ?? part
  if (part.type !== 'finish') return part
  const metadata = part.providerMetadata?.[definition.id]
  const origin = metadata && originOf(definition, config)
  return origin === undefined
    ? part
    : {
        ...part,
        providerMetadata: { ...part.providerMetadata, [definition.id]: { ...metadata, origin } },
      }
}

/**
 * The request without other endpoints' metadata: reasoning and signatures go only to the endpoint that wrote them.
 * Metadata without an origin, such as that of imported histories, goes to all endpoints.
 */
function ownMetadata(
  request: ModelRequest,
  definition: Definition,
  config: ModelConfigData,
): ModelRequest {
  const { id } = definition
  const currentOrigin = originOf(definition, config)
  return {
    ...request,
    messages: request.messages.map((message) => {
      if (message.role !== 'assistant') return message
      const { providerMetadata, ...rest } = message
      const { origin, ...fields } = providerMetadata?.[id] ?? {}
      if (origin === undefined) return message
      return origin === currentOrigin
        ? { ...rest, providerMetadata: { ...providerMetadata, [id]: fields } }
        : rest
    }),
  }
}
