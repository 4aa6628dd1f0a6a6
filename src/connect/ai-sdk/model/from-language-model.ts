import { OffstageError, toErrorData, type ErrorData } from '../../../protocol/error.ts'
import type { Credentials, ModelConfigData } from '../../../protocol/model.ts'
import type { StreamPart } from '../../../protocol/message.ts'
import {
  type AbortScope,
  createAbortScope,
  startWatchdog,
  type Watchdog,
} from '../../../providers/core/watchdog.ts'
import { requestCredentials } from '../../../providers/core/secrets.ts'
import { createPartGate, hasContent } from '../../../providers/core/part-gate.ts'
import { incompleteError, timeoutError } from '../../../providers/core/provider-error.ts'
import type {
  ModelRequest,
  StreamOptions,
  StreamProviderDefinition,
} from '../../../providers/provider.ts'
import {
  callOptions,
  type LanguageModelLike,
  type LanguageModelOptions,
  type LanguageModelRequest,
} from './call-options.ts'
import { brokenStream, modelError } from './model-error.ts'
import { PartReader } from './read-parts.ts'

export type { LanguageModelLike, LanguageModelOptions, LanguageModelRequest }

const FIRST_PART_MS = 120_000
const IDLE_MS = 60_000

type GivenModel =
  | LanguageModelLike
  | ((request: LanguageModelRequest) => LanguageModelLike | Promise<LanguageModelLike>)

interface Attempt {
  readonly id: string
  readonly model: GivenModel
  readonly options: LanguageModelOptions
  readonly request: ModelRequest
  readonly config: ModelConfigData
  readonly stream: StreamOptions
  readonly scope: AbortScope
}

/**
 * Makes a provider from an AI SDK language model, for `startWorker({ providers })` in your own worker file. Pass a
 * function to create a model for each request, from the agent's `model` and the page's key.
 */
export function fromLanguageModel(
  model: GivenModel,
  options: LanguageModelOptions = {},
): StreamProviderDefinition {
  const { id = 'ai-sdk' } = options
  if (
    typeof model !== 'function' &&
    typeof (model as LanguageModelLike | null)?.doStream !== 'function'
  )
    throw new OffstageError(
      'invalid-config',
      'fromLanguageModel() takes a language model of the AI SDK, or a function that makes one.',
    )
  return {
    id,
    stream: (request, config, stream) =>
      streamRequest({
        id,
        model,
        options,
        request,
        config,
        stream,
        scope: createAbortScope(stream.signal),
      }),
  }
}

/** Sends one request and streams its answer. */
async function* streamRequest(attempt: Attempt): AsyncGenerator<readonly StreamPart[]> {
  const { request, config, scope } = attempt
  const { firstChunkMs = FIRST_PART_MS, idleMs = IDLE_MS } = config.timeouts ?? {}
  let phase: 'first-chunk' | 'idle' = 'first-chunk'
  const watchdog = startWatchdog(firstChunkMs, (limitMs) =>
    scope.fail(timeoutError(phase, limitMs)),
  )
  const gate = createPartGate()
  try {
    const opened = await openStream(attempt, watchdog)
    if ('code' in opened) {
      yield [{ type: 'error', error: opened }]
      return
    }
    const reader = opened.getReader()
    scope.onEnd(() => void reader.cancel().catch(() => {}))
    const parts = new PartReader(request, attempt.id)
    let broken: ErrorData | undefined
    while (!scope.failure()) {
      const piece = await scope.guard(reader.read()).catch((error: unknown) => {
        broken = brokenStream(error)
      })
      if (!piece || piece.done) break
      const batch: StreamPart[] = []
      gate.pass(parts.read(piece.value), batch)
      const isContent = hasContent(batch)
      if (isContent && phase === 'first-chunk') {
        watchdog.setLimit(idleMs)
        phase = 'idle'
      }
      // Pauses the time limit, because a slow reader isn't the model's fault.
      if (isContent) watchdog.pause()
      if (batch.length > 0) yield batch
      if (isContent) watchdog.reset()
      // Stops after the last part, because some servers don't close the body.
      if (gate.ending() === 'finish') break
    }
    const lastParts: StreamPart[] = []
    gate.close(lastParts, failureOf(scope, broken))
    yield lastParts
  } catch (error) {
    yield [{ type: 'error', error: toErrorData(error) }]
  } finally {
    watchdog.stop()
    // Closes everything that is still open. The error has no reader.
    scope.fail(incompleteError())
    scope.release()
  }
}

/**
 * Failure of the answer, if any. Calls received before a stop don't run. A stream that breaks after its last part
 * counts as complete.
 */
function failureOf(
  scope: AbortScope,
  broken: ErrorData | undefined,
): { readonly error: ErrorData; readonly final: boolean } | undefined {
  const failure = scope.failure()
  if (failure) return { error: failure, final: true }
  return broken && { error: broken, final: false }
}

/** Opens the stream. After a 401, asks the page once more for its credentials. */
async function openStream(
  attempt: Attempt,
  watchdog: Watchdog,
): Promise<ReadableStream<unknown> | ErrorData> {
  const { scope, stream, config } = attempt
  for (let previousRejected = false; ; previousRejected = true) {
    // Pauses the time limit: a person may have to sign in before the page can return a key.
    watchdog.pause()
    const credentials = await scope.guard(requestCredentials(stream, previousRejected, config))
    watchdog.reset()
    if (!credentials) return stoppedBy(scope)
    try {
      const opened = await scope.guard(send(attempt, credentials))
      return opened ?? stoppedBy(scope)
    } catch (thrown) {
      const error = scope.failure() ?? modelError(thrown)
      const isRejected = error.details?.['status'] === 401
      if (!isRejected || previousRejected || !stream.credentials) return error
    }
  }
}

async function send(attempt: Attempt, credentials: Credentials): Promise<ReadableStream<unknown>> {
  const { id, config, options, request, scope } = attempt
  const headers = { ...config.headers, ...credentials.headers }
  const model = await modelFor(attempt, { ...credentials, headers })
  const call = callOptions({ id, model, config, request, headers, signal: scope.signal })
  const answer = await model.doStream({ ...call, ...options.callOptions } as never)
  // Cancels an answer that arrives after its request has ended.
  if (scope.failure()) void answer.stream.cancel().catch(() => {})
  return answer.stream
}

async function modelFor(
  { model, config, stream }: Attempt,
  { apiKey, headers = {} }: Credentials,
): Promise<LanguageModelLike> {
  if (typeof model !== 'function') return model
  return await model({
    config,
    headers,
    ...(apiKey !== undefined && { apiKey }),
    ...(stream.fetch && { fetch: stream.fetch }),
  })
}

function stoppedBy(scope: AbortScope): ErrorData {
  return scope.failure() ?? incompleteError()
}
