import { toErrorData, type ErrorData } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Credentials, ModelConfigData } from '../../protocol/model.ts'
import type { StreamPart } from '../../protocol/stream-part.ts'
import type {
  BatchProvider,
  HttpProviderDefinition,
  Ladder,
  ModelRequest,
  RequestConfig,
  RequestForm,
  StreamOptions,
} from '../provider.ts'
import { createAbortScope, type AbortScope } from './abort-scope.ts'
import { askCredentials } from './ask-credentials.ts'
import { drainBody } from './drain-body.ts'
import { FormMemory } from './form-memory.ts'
import { addressOf, ownMetadata, withOrigin } from './metadata-origin.ts'
import { openStream } from './open-stream.ts'
import { asList } from './read-json.ts'
import { createAnswerReader } from './read-answer.ts'
import { hasContent } from './part-gate.ts'
import { incompleteError, timeoutError } from './transport-error.ts'
import { startWatchdog, type Watchdog } from './watchdog.ts'

const FIRST_CHUNK_MS = 120_000
const IDLE_MS = 60_000
/** Bytes without content keep an answer waiting for so many times the limit: models think in silence, for minutes. */
const SILENCE = 5
/** How long the end of an answer is awaited whose output is over. */
const ENDING_MS = 5_000

/** Forms for callers that keep none themselves. */
const forms = new FormMemory()

type Definition = HttpProviderDefinition<unknown>

/** Where the Responses API is asked unless the configuration says otherwise. */
const OPENAI = 'https://api.openai.com/'

interface Attempt {
  readonly definition: Definition
  readonly config: ModelConfigData
  readonly request: ModelRequest
  readonly options: StreamOptions
  readonly abortScope: AbortScope
  /** Created with the first refusal, unless the caller gave one. */
  ladder: Ladder | undefined
}

/** Joins a wire format and a configuration into a model that can be called. */
export function createHttpProvider(
  load: () => Promise<Definition>,
  config: ModelConfigData,
): BatchProvider {
  // Ahead of the first request, which reports what goes wrong with it.
  load().catch(() => {})
  return {
    id: config.provider,
    batches: (request, options = {}) =>
      runAttempt(load, {
        config,
        // Plain JavaScript may leave the tools out.
        request: { ...request, tools: (request.tools as ModelRequest['tools'] | undefined) ?? [] },
        options,
      }),
  }
}

/** Requests until one is answered or refused for good. */
async function* runAttempt(
  load: () => Promise<Definition>,
  setup: Pick<Attempt, 'config' | 'request' | 'options'>,
): AsyncGenerator<readonly StreamPart[]> {
  const { config, options } = setup
  const abortScope = createAbortScope(options.signal)
  const { firstChunkMs = FIRST_CHUNK_MS } = config.timeouts ?? {}
  const reading: Reading = { isWaiting: true, rest: undefined }
  const watchdog = startWatchdog(firstChunkMs, (limitMs) =>
    abortScope.fail(timeoutError(reading.isWaiting ? 'first-chunk' : 'idle', limitMs)),
  )
  try {
    const definition = await load()
    const request = ownMetadata(setup.request, definition, config)
    const attempt: Attempt = { ...setup, request, definition, abortScope, ladder: options.ladder }
    for (let first: ErrorData | undefined; ;) {
      const opened = await open(attempt, watchdog)
      const refusal =
        'error' in opened ? opened : yield* readAnswer(attempt, opened, { watchdog, reading })
      if (!refusal) return
      const { error, body } = refusal
      const climbs =
        body !== undefined &&
        (await ladderOf(attempt)).climb({
          providerId: definition.id,
          request,
          body,
          error,
          hasResponses: config.provider === 'openai' && config.api === undefined,
        })
      // The caller describes tools as text, and asks again.
      const isOver =
        !climbs || (request.toolMode !== 'action' && attempt.ladder?.form.has('tools text'))
      first ??= error
      if (!isOver) continue
      // The first refusal says why another address was asked, which does not exist.
      const isNoPath = error.details?.['status'] === 404 || error.details?.['status'] === 405
      if (isNoPath && first !== error) yield [{ type: 'error', error: first }]
      else yield asBadCall(error) ?? refusal.parts ?? [{ type: 'error', error }]
      return
    }
  } catch (error) {
    yield [{ type: 'error', error: toErrorData(error) }]
  } finally {
    watchdog.stop()
    void drainBody(reading.rest, abortScope)
  }
}

/** The ladder is loaded with the first refusal, since few requests are refused. */
async function ladderOf(attempt: Attempt): Promise<Ladder> {
  if (attempt.ladder) return attempt.ladder
  const { FormLadder } = await import('./ladder.ts')
  return (attempt.ladder = new FormLadder(forms, attempt.config))
}

/** Chooses the wire format. OpenAI's current models take function tools on the Responses API only. */
async function definitionFor(
  { definition, config }: Attempt,
  form: RequestForm,
): Promise<Definition> {
  const { api, baseURL, provider } = config
  const isOwn = provider === 'openai' && `${baseURL ?? OPENAI}/`.startsWith(OPENAI)
  const asked = api ?? (isOwn || form.has('api responses') ? 'responses' : 'chat')
  return (asked === 'responses' && (await definition.responses?.())) || definition
}

function formOf({ ladder, config }: Attempt): RequestForm {
  return ladder?.form ?? forms.get(config)
}

/** Feeds a call that the endpoint could not parse (Groq's `tool_use_failed`) back to the model. */
function asBadCall(error: ErrorData): readonly StreamPart[] | undefined {
  if (!asList(error.details?.['labels']).includes('tool_use_failed')) return undefined
  return [
    { type: 'action-error', error: { code: 'malformed', message: error.message } },
    { type: 'finish', finishReason: 'other' },
  ]
}

interface Refusal {
  readonly error: ErrorData
  /** The error with what there was of the answer. */
  readonly parts?: readonly StreamPart[]
  /** The request's body. Absent: no request was sent. */
  readonly body?: JsonObject
}

interface Reading {
  /** No content of the answer has come. */
  isWaiting: boolean
  /** The rest of a body whose end was proven. */
  rest: ReadableStreamDefaultReader<Uint8Array> | undefined
}

/** Yields the answer's parts. Returns the refusal, if that came before anything was shown. The loop is the hot path. */
async function* readAnswer(
  { config, request: asked, abortScope, ladder }: Attempt,
  { response, definition, request, config: signed, body: sent, form }: Opened,
  { watchdog, reading }: { readonly watchdog: Watchdog; readonly reading: Reading },
): AsyncGenerator<readonly StreamPart[], Refusal | undefined> {
  const { firstChunkMs = FIRST_CHUNK_MS, idleMs = IDLE_MS } = config.timeouts ?? {}
  let heardAt = performance.now()
  let ending = false
  let isShown = false
  const state = definition.start(request, signed, form)
  const contentType = response.headers.get('content-type')
  const answer = createAnswerReader(definition, state, { ...asked, contentType })
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
    const silence = performance.now() - heardAt
    if (isContent) heardAt += silence
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
      const warnings = ladder?.answered() ?? []
      if (warnings.length > 0) yield warnings
    }
    yield batch
    if (isContent) watchdog.reset()
  }
  if (answer.isProven()) reading.rest = body
  const end = answer.close(abortScope.failure() ?? broken)
  const last = end.at(-1)
  if (!isShown && last?.type === 'error') {
    void body?.cancel().catch(() => {})
    return { error: last.error, body: sent, parts: end }
  }
  if (!isShown && last?.type === 'finish') yield ladder?.answered() ?? []
  yield end.map((part) => (part.type === 'finish' ? withOrigin(part, definition, signed) : part))
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

/** Opens the answer. After a 401 the credentials are requested once more. */
async function open(attempt: Attempt, watchdog: Watchdog): Promise<Opened | Refusal> {
  const { abortScope, options } = attempt
  const { provider } = attempt.config
  const form = formOf(attempt)
  const definition = await definitionFor(attempt, form)
  const baseURL = addressOf(definition, attempt.config)
  const forming = form.size > 0 ? await import('./request-form.ts') : undefined
  const request = forming?.formedRequest(attempt.request, form, definition.id) ?? attempt.request
  for (let previousRejected = false; ;) {
    // A person may have to sign in for a key, which takes time.
    watchdog.pause()
    const credentials = await abortScope.guard(
      askCredentials(options, previousRejected, { provider, baseURL }),
    )
    watchdog.reset()
    if (!credentials) return { error: abortScope.failure() ?? incompleteError() }
    const signed = withCredentials(attempt.config, credentials)
    const config = forming?.formedConfig(signed, form) ?? signed
    const made = definition.toRequest(request, config, form)
    const body = forming?.formedBody(made.body, form) ?? made.body
    const answer = await openStream({ ...made, body }, abortScope, {
      ...(options.fetch && { fetch: options.fetch }),
      ...(config.credentials && { credentials: config.credentials }),
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
