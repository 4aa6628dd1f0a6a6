import type { StepContext } from '../../protocol/page-calls.ts'
import { type ErrorData, toErrorData } from '../../protocol/error.ts'
import type { AttemptRef, RequestTokens, SentRequest } from '../../protocol/delta.ts'
import type { ReasoningPart, StreamPart, TextPart, Usage } from '../../protocol/message.ts'
import type { StoredForm } from '../../providers/core/form-memory.ts'
import type { FormAdapter } from '../../providers/core/form-adapter.ts'
import { retryDelay } from '../../providers/core/retry.ts'
import type {
  Refused,
  RequestAdapter,
  RequestForm,
  ModelRequest,
  Provider,
  StreamOptions,
} from '../../providers/provider.ts'
import type { Effects } from '../effects.ts'
import type { ModelMemory } from './model-memory.ts'
import { type AttemptResult, fixedSize, messageTokens, partTokens } from './token-counts.ts'
import { untilAborted, whenAborted } from '../../lib/abort.ts'
import { readsDelimitedOnly, readsTextCalls } from '../../providers/text-calls.ts'
import { forModel } from './model-names.ts'
import { type ModelTurn, type TurnDelta, TurnReader } from './turn-reader.ts'
import { actionPart, loadActionPart } from '../parts.ts'
import { estimateTokens } from '../../lib/estimate-tokens.ts'
import type { ModelConfigData } from '../../protocol/model.ts'

/** The request in the configured input mode. The scripted provider counts messages, so it always gets messages. */
function asConfigured(
  request: ModelRequest,
  { inputMode, provider }: Pick<ModelConfigData, 'inputMode' | 'provider'>,
): ModelRequest {
  return inputMode === 'prompt' && provider !== 'scripted'
    ? actionPart().asPrompt(request)
    : request
}

type StepInput = Pick<StepContext, 'instructions' | 'model' | 'tools'>

/**
 * Describes a request for the page. Pure.
 *
 * `plain` is the request as built, for the token counts. `configured` is the request that the provider gets.
 */
function sentRequest(plain: ModelRequest, configured: ModelRequest, input: StepInput): SentRequest {
  const { instructions, messages, tools, trailer, toolMode = 'native' } = configured
  const { provider, model } = input.model
  return {
    provider,
    model,
    toolMode,
    ...(instructions !== undefined && { instructions }),
    messages,
    tools,
    ...(trailer !== undefined && { context: trailer }),
    tokens: tokensOf(plain, input),
  }
}

function tokensOf(plain: ModelRequest, input: StepInput): RequestTokens {
  const { instructions, tools, context } = fixedSize(plain)
  const superseding = new Set(
    input.tools.flatMap(({ name, annotations }) => (annotations.supersedes ? [name] : [])),
  )
  let history = 0
  let snapshots = 0
  for (const message of plain.messages) {
    const total = messageTokens(message)
    let superseded = 0
    if (message.role === 'tool')
      for (const part of message.parts)
        if (superseding.has(part.toolName)) superseded += partTokens(part)
    history += total - superseded
    snapshots += superseded
  }
  const appTokens = Math.min(instructions, estimateTokens(input.instructions))
  return {
    instructions: appTokens,
    tools: tools + instructions - appTokens,
    history,
    snapshots,
    context,
  }
}

export type ModelOutcome = { readonly attempt: number } & (
  | {
      readonly type: 'turn'
      readonly turn: ModelTurn
      readonly toolMode: 'native' | 'action'
      /** The request form that worked, if the server refused other forms first. */
      readonly form?: StoredForm
    }
  | ({ readonly type: 'failed'; readonly error: ErrorData } & CutTurn)
  | ({ readonly type: 'aborted' } & CutTurn)
)

/** The received part of a turn that was cut short. */
export interface CutTurn {
  readonly partial: readonly (TextPart | ReasoningPart)[]
  /** Usage that isn't stored yet. */
  readonly usage: Usage
}

const NOTHING_RECEIVED: CutTurn = { partial: [], usage: {} }

/** A failed attempt, ready to be stored. */
export interface FailedAttempt {
  readonly attempt: number
  readonly usage: Usage
  readonly error: ErrorData
}

export interface ModelCall {
  readonly step: number
  readonly stepContext: StepContext
  /** Builds the request for a tool mode. A server's refusal of tools changes the mode. */
  readonly request: (toolMode: 'native' | 'action') => ModelRequest
  readonly provider: Pick<Provider, 'batches'>
  readonly memory: ModelMemory
  readonly effects: Effects
  readonly signal: AbortSignal
  readonly credentials: NonNullable<StreamOptions['credentials']>
  /** Default: the worker's own `fetch`. */
  readonly fetch?: StreamOptions['fetch'] | undefined
  /** Number of the first attempt. Default 1; higher if attempts at this step have failed before. */
  readonly firstAttempt?: number | undefined
  /** Id of the message that this call results in. */
  readonly messageId: string
  readonly emit: (delta: CallDelta, attempt: AttemptRef['attempt']) => void
  readonly isUsedId: (toolCallId: string) => boolean
  /** Loads the worker's part for calls in text, or waits until it can be loaded. Default: tries once. */
  readonly loadActionPart?: () => Promise<unknown> | null
  /** Computes an attempt's usage, as the run's limits count it. */
  readonly meter: (result: AttemptResult, attempt: number) => Usage
  readonly attemptFailed: (attempt: FailedAttempt) => Promise<unknown>
  /**
   * Called before anything is shown. False: another worker owns the run, so nothing more is shown. Returns a
   * promise only if the store has to be asked.
   */
  readonly confirm?: (() => Promise<boolean> | true) | undefined
}

/** A delta of the step, without the ids of its run, step and attempt. */
export type CallDelta =
  | TurnDelta
  | { readonly type: 'attempt-started'; readonly messageId: string }
  | { readonly type: 'request'; readonly request: SentRequest }
  | {
      readonly type: 'retry'
      readonly retries: number
      readonly delayMs: number
      readonly error: ErrorData
    }

/**
 * Calls the model for one step, and retries within the retry policy until an answer is proven complete. Only the usage
 * of a failed attempt is kept: `step-reset` withdraws the attempt's text from the page.
 */
export async function callModel(call: ModelCall): Promise<ModelOutcome> {
  const { stepContext, effects, signal, messageId } = call
  const { model } = stepContext
  const canWriteTools = (model.toolMode ?? 'auto') === 'auto' && stepContext.tools.length > 0
  const adapter = new LazyAdapter(call.memory.forms, model, canWriteTools)
  for (let attempt = call.firstAttempt ?? 1, retries = 0; ; attempt++) {
    const toolMode = call.memory.toolMode(model, adapter.form)
    const needsPart = toolMode === 'action' || model.inputMode === 'prompt'
    const loadFailure = needsPart ? await ensurePart(call, attempt) : null
    if (loadFailure) return loadFailure
    const emit = (delta: CallDelta): void => call.emit(delta, attempt)
    const isOwned = call.confirm?.() ?? true
    if (isOwned !== true && !(await isOwned))
      return { type: 'aborted', attempt, ...NOTHING_RECEIVED }
    emit({ type: 'attempt-started', messageId })
    const { reader, lacksPart } = await readAttempt(call, { attempt, toolMode, adapter })
    const meter = (answer?: ModelTurn): Usage =>
      call.meter({ toolMode, usage: reader.usage, parts: reader.received, answer }, attempt)
    if (signal.aborted) return { type: 'aborted', attempt, ...cutOf(reader), usage: meter() }
    const turn = reader.end()
    if (turn) {
      for (const part of adapter.answered()) reader.read(part)
      const { learned: form } = adapter
      const meteredTurn = { ...turn, usage: meter(turn) }
      return { type: 'turn', attempt, turn: meteredTurn, toolMode, ...(form && { form }) }
    }

    const error = reader.error ?? INCOMPLETE
    await call.attemptFailed({ attempt, usage: meter(), error })
    if (lacksPart) {
      if (reader.isVisible) emit({ type: 'step-reset', reason: error })
      const loadFailure = await ensurePart(call, attempt)
      if (loadFailure) return loadFailure
      continue
    }
    const isRefused =
      toolMode === 'native' &&
      canWriteTools &&
      (error.code === 'tools-unsupported' || adapter.form.has('tools text'))
    const delayMs = isRefused
      ? 0
      : retryDelay(error, retries + 1, { policy: model.retry, random: effects.random })
    if (delayMs === null) return { attempt, ...failure(error, reader, emit) }
    if (reader.isVisible) emit({ type: 'step-reset', reason: error })
    if (isRefused) await adapter.switchToTextTools(error)
    else {
      retries += 1
      emit({ type: 'retry', retries, delayMs, error })
      await effects.sleep(delayMs, signal)
      if (signal.aborted) return { type: 'aborted', attempt, ...NOTHING_RECEIVED }
    }
  }
}

/** Loads the adapter at the first refusal, since few requests are refused. */
class LazyAdapter implements RequestAdapter {
  readonly #args: ConstructorParameters<typeof FormAdapter>
  #adapter: FormAdapter | undefined

  constructor(...args: ConstructorParameters<typeof FormAdapter>) {
    this.#args = args
  }

  get form(): RequestForm {
    const [memory, model] = this.#args
    return this.#adapter?.form ?? memory.get(model)
  }

  get learned(): StoredForm | undefined {
    return this.#adapter?.learned
  }

  async handleRefusal(refused: Refused): Promise<boolean> {
    // If the endpoint gave no answer, there is nothing to adapt to, and perhaps no network to load the adapter.
    if (refused.error.code === 'network' || refused.error.code === 'timeout') return false
    return (await this.#load()).handleRefusal(refused)
  }

  async switchToTextTools(error: ErrorData): Promise<void> {
    ;(await this.#load()).switchToTextTools(error)
  }

  answered(): readonly StreamPart[] {
    return this.#adapter?.answered() ?? []
  }

  async #load(): Promise<FormAdapter> {
    const { FormAdapter } = await import('../../providers/core/form-adapter.ts')
    return (this.#adapter ??= new FormAdapter(...this.#args))
  }
}

/** Loads the worker's part for calls in text. If loading fails or the call is aborted, returns the call's outcome. */
async function ensurePart(
  { loadActionPart: load = loadActionPart, signal }: ModelCall,
  attempt: number,
): Promise<ModelOutcome | null> {
  try {
    const loading = load()
    if (loading) await loading
  } catch (thrown) {
    if (!signal.aborted)
      return { type: 'failed', attempt, error: toErrorData(thrown), ...NOTHING_RECEIVED }
  }
  return signal.aborted ? { type: 'aborted', attempt, ...NOTHING_RECEIVED } : null
}

/** Keeps nothing of a turn that was too large: sent again, it would fill the next request, too. */
function failure(
  error: ErrorData,
  reader: TurnReader,
  emit: (delta: CallDelta) => void,
): { readonly type: 'failed'; readonly error: ErrorData } & CutTurn {
  if (error.code !== 'response-too-large')
    return { type: 'failed', error, ...cutOf(reader), usage: {} }
  if (reader.isVisible) emit({ type: 'step-reset', reason: error })
  return { type: 'failed', error, ...NOTHING_RECEIVED }
}

/** The partial answer. Reasoning without any text is dropped: it answers nothing. */
function cutOf({ text, partial, usage }: TurnReader): CutTurn {
  return { partial: text === '' ? [] : partial, usage }
}

const INCOMPLETE: ErrorData = {
  code: 'stream-incomplete',
  message: 'The stream ended without proof of its end.',
  retryable: true,
}

/** `lacksPart`: the attempt failed because the part that reads calls in text could not be loaded. */
async function readAttempt(
  call: ModelCall,
  {
    attempt,
    toolMode,
    adapter,
  }: { attempt: number; toolMode: 'native' | 'action'; adapter: RequestAdapter },
): Promise<{ readonly reader: TurnReader; readonly lacksPart: boolean }> {
  const reader = new TurnReader({
    toolMode,
    textCalls: readsTextCalls(call.stepContext.model, toolMode),
    delimitedOnly: readsDelimitedOnly(call.stepContext.model.model, toolMode),
    refusesCalls: call.stepContext.model.toolChoice === 'none',
    singleCall: toolMode === 'action' && call.stepContext.model.parallelToolCalls === false,
    tools: call.stepContext.tools.map(forModel),
    caps: call.stepContext.model.caps,
    partPrefix: `${call.step}.${attempt}.`,
    emit: (delta) => call.emit(delta, attempt),
    raw: call.stepContext.raw,
    newId: call.effects.newId,
    isUsedId: call.isUsedId,
  })
  const { signal, credentials, fetch } = call
  let lacksPart = false
  try {
    const request = call.request(toolMode)
    const configured = asConfigured(request, call.stepContext.model)
    if (call.stepContext.requests)
      call.emit(
        { type: 'request', request: sentRequest(request, configured, call.stepContext) },
        attempt,
      )
    const batches = call.provider.batches(configured, {
      signal,
      credentials,
      adapter,
      ...(fetch && { fetch }),
    })
    for await (const batch of untilAborted(batches, signal)) {
      const isOwned = call.confirm?.() ?? true
      if (isOwned !== true && !(await isOwned)) break
      for (const part of batch) {
        // The stream pauses until the scanner is loaded. Nothing of this part is shown before.
        if (reader.needsScanner(part)) {
          lacksPart = true
          await Promise.race([loadActionPart(), whenAborted(signal)])
          lacksPart = false
          if (signal.aborted) break
        }
        reader.read(part)
      }
      // An error ends the attempt, even if the stream continues, as for a turn that is too large.
      if (reader.error !== null) break
    }
  } catch (error) {
    // A provider that throws (a custom one, or a key function that rejects) fails the attempt.
    reader.read({ type: 'error', error: toErrorData(error) })
  }
  return { reader, lacksPart }
}
