import { toErrorData, type ErrorData } from '../../protocol/error.ts'
import type { Credentials, ModelConfigData } from '../../protocol/model.ts'
import type { StreamPart } from '../../protocol/stream-part.ts'
import type {
  HttpProviderDefinition,
  ModelRequest,
  Provider,
  RequestConfig,
  StreamOptions,
} from '../provider.ts'
import { createAbortScope, type AbortScope } from './abort-scope.ts'
import { askCredentials } from './ask-credentials.ts'
import { drainBody } from './drain-body.ts'
import { flatten } from './flatten.ts'
import { openStream } from './open-stream.ts'
import { createAnswerReader } from './read-answer.ts'
import { incompleteError, timeoutError } from './transport-error.ts'
import { startWatchdog, type Watchdog } from './watchdog.ts'

const FIRST_CHUNK_MS = 120_000
const IDLE_MS = 60_000
/** How long the end of an answer is awaited whose output is over. */
const ENDING_MS = 5_000
/** Refusals of one request after which a definition may adapt it. */
const MAX_ADAPTATIONS = 3

interface Attempt {
  readonly definition: HttpProviderDefinition<unknown>
  readonly config: ModelConfigData
  readonly request: ModelRequest
  readonly options: StreamOptions
  readonly abortScope: AbortScope
}

/** Joins a wire format and a configuration into a model that can be called. */
export function createHttpProvider(
  definition: HttpProviderDefinition<unknown>,
  config: ModelConfigData,
): Provider {
  const batches: Provider['batches'] = (request, options = {}) =>
    runAttempt({
      definition,
      config,
      // Plain JavaScript may leave the tools out.
      request: { ...request, tools: (request.tools as ModelRequest['tools'] | undefined) ?? [] },
      options,
    })
  return {
    id: definition.id,
    batches,
    stream: (request, options) => flatten(batches(request, options)),
  }
}

/** One request and its answer; the loop in the middle is the hot path. */
async function* runAttempt(
  setup: Omit<Attempt, 'abortScope'>,
): AsyncGenerator<readonly StreamPart[]> {
  const { definition, config, request, options } = setup
  const abortScope = createAbortScope(options.signal)
  const attempt: Attempt = { ...setup, abortScope }
  const { firstChunkMs = FIRST_CHUNK_MS, idleMs = IDLE_MS } = config.timeouts ?? {}
  let waiting = true
  let ending = false
  /** The rest of a body whose end was proven. */
  let rest: ReadableStreamDefaultReader<Uint8Array> | undefined
  const watchdog = startWatchdog(firstChunkMs, (limitMs) =>
    abortScope.fail(timeoutError(waiting ? 'first-chunk' : 'idle', limitMs)),
  )
  try {
    const opened = await open(attempt, watchdog)
    if (!('response' in opened)) {
      yield [{ type: 'error', error: opened }]
      return
    }
    const { response } = opened
    const state = definition.start(request, opened.config)
    const contentType = response.headers.get('content-type')
    const answer = createAnswerReader(definition, state, { ...request, contentType })
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
      if (waiting) watchdog.setLimit(idleMs)
      const batch = piece?.value ? answer.push(piece.value) : answer.end()
      const isOutput = batch.some(({ type }) => type !== 'raw')
      // After the finish reason, comments, pings and empty deltas are no life.
      if (!ending || isOutput) watchdog.reset()
      waiting = false
      if (!ending && answer.isEnding()) {
        ending = true
        watchdog.setLimit(idleMs > 0 ? Math.min(idleMs, ENDING_MS) : ENDING_MS)
      }
      if (batch.length === 0) continue
      if (isOutput) watchdog.pause()
      yield batch
      if (isOutput) watchdog.reset()
    }
    if (answer.isProven()) rest = body
    yield answer.close(abortScope.failure() ?? broken)
  } catch (error) {
    yield [{ type: 'error', error: toErrorData(error) }]
  } finally {
    watchdog.stop()
    void drainBody(rest, abortScope)
  }
}

interface Opened {
  readonly response: Response
  readonly config: RequestConfig
}

/** Opens the answer. After a 401 the credentials are requested once more. */
async function open(attempt: Attempt, watchdog: Watchdog): Promise<Opened | ErrorData> {
  const { definition, abortScope, options, request } = attempt
  const { provider, baseURL: given } = attempt.config
  const baseURL = definition.baseURL?.(attempt.config).replace(/\/+$/, '') ?? given
  let adaptations = 0
  for (let previousRejected = false; ;) {
    // A person may have to sign in for a key, which takes time.
    watchdog.pause()
    const credentials = await abortScope.guard(
      askCredentials(options, previousRejected, { provider, baseURL }),
    )
    watchdog.reset()
    if (!credentials) return abortScope.failure() ?? incompleteError()
    const config = withCredentials(attempt.config, credentials)
    const answer = await openStream(definition.toRequest(request, config), abortScope, {
      ...(options.fetch && { fetch: options.fetch }),
      ...(config.credentials && { credentials: config.credentials }),
    })
    if ('body' in answer) return { response: answer, config }
    const isRejected = answer.details?.['status'] === 401
    if (isRejected && !previousRejected && options.credentials) previousRejected = true
    else if (adaptations < MAX_ADAPTATIONS && definition.adapt?.(request, config, answer))
      adaptations++
    else return answer
  }
}

function withCredentials(config: ModelConfigData, credentials: Credentials): RequestConfig {
  return { ...config, ...credentials, headers: { ...config.headers, ...credentials.headers } }
}
