import type { StepContext } from '../../protocol/questions.ts'
import { toErrorData, type ErrorData } from '../../protocol/error.ts'
import type { AttemptRef } from '../../protocol/delta.ts'
import type { ReasoningPart, TextPart, Usage } from '../../protocol/message.ts'
import type { SentRequest } from '../../protocol/request.ts'
import type { StoredForm } from '../../providers/core/form-memory.ts'
import { FormLadder } from '../../providers/core/ladder.ts'
import { retryDelay } from '../../providers/core/retry-delay.ts'
import type { Ladder, ModelRequest, Provider, StreamOptions } from '../../providers/provider.ts'
import type { Effects } from '../effects.ts'
import type { ModelMemory } from './model-memory.ts'
import type { Said } from './meter-usage.ts'
import { untilAborted } from '../../lib/abort.ts'
import { readsDelimitedOnly, readsTextCalls } from '../../providers/text-calls.ts'
import { asConfigured } from './as-prompt.ts'
import { forModel } from './model-names.ts'
import { sentRequest } from './sent-request.ts'
import { TurnReader, type ModelTurn, type TurnDelta } from './turn-reader.ts'

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

const NOTHING: CutTurn = { partial: [], usage: {} }

/** A failed attempt, ready to be stored. */
export interface FailedAttempt {
  readonly attempt: number
  readonly usage: Usage
  readonly error: ErrorData
}

export interface ModelCall {
  readonly step: number
  readonly stepContext: StepContext
  /** The request in either tool mode, since a refusal of tools changes it. */
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
  /** Computes an attempt's usage, as the run's limits count it. */
  readonly meter: (said: Said, attempt: number) => Usage
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
 * Calls the model for one step, and retries within the retry policy until an answer is proven complete. A failed
 * attempt keeps only its usage: `step-reset` withdraws its text from the page.
 */
export async function callModel(call: ModelCall): Promise<ModelOutcome> {
  const { stepContext, effects, signal, messageId } = call
  const { model } = stepContext
  const canWriteTools = (model.toolMode ?? 'auto') === 'auto' && stepContext.tools.length > 0
  const ladder = new FormLadder(call.memory.forms, model, canWriteTools)
  for (let attempt = call.firstAttempt ?? 1, retries = 0; ; attempt++) {
    const toolMode = call.memory.toolMode(model, ladder.form)
    const emit = (delta: CallDelta): void => call.emit(delta, attempt)
    const isOwned = call.confirm?.() ?? true
    if (isOwned !== true && !(await isOwned)) return { type: 'aborted', attempt, ...NOTHING }
    emit({ type: 'attempt-started', messageId })
    const reader = await readAttempt(call, { attempt, toolMode, ladder })
    const used = (whole?: ModelTurn): Usage =>
      call.meter({ toolMode, usage: reader.usage, parts: reader.partial, whole }, attempt)
    if (signal.aborted) return { type: 'aborted', attempt, ...cutOf(reader), usage: used() }
    const turn = reader.end()
    if (turn) {
      for (const part of ladder.answered()) reader.read(part)
      const { learned: form } = ladder
      const answered = { ...turn, usage: used(turn) }
      return { type: 'turn', attempt, turn: answered, toolMode, ...(form && { form }) }
    }

    const error = reader.error ?? INCOMPLETE
    await call.attemptFailed({ attempt, usage: used(), error })
    const refused =
      toolMode === 'native' &&
      canWriteTools &&
      (error.code === 'tools-unsupported' || ladder.form.has('tools text'))
    const delayMs = refused
      ? 0
      : retryDelay(error, retries + 1, { policy: model.retry, random: effects.random })
    if (delayMs === null) return { attempt, ...failure(error, reader, emit) }
    if (reader.isVisible) emit({ type: 'step-reset', reason: error })
    if (refused) ladder.writeTools(error)
    else {
      retries += 1
      emit({ type: 'retry', retries, delayMs, error })
      await effects.sleep(delayMs, signal)
      if (signal.aborted) return { type: 'aborted', attempt, ...NOTHING }
    }
  }
}

/** Keeps nothing of a turn that was too large: sent with the next request, it would fill that one, too. */
function failure(
  error: ErrorData,
  reader: TurnReader,
  emit: (delta: CallDelta) => void,
): { readonly type: 'failed'; readonly error: ErrorData } & CutTurn {
  if (error.code !== 'response-too-large')
    return { type: 'failed', error, ...cutOf(reader), usage: {} }
  if (reader.isVisible) emit({ type: 'step-reset', reason: error })
  return { type: 'failed', error, ...NOTHING }
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

async function readAttempt(
  call: ModelCall,
  { attempt, toolMode, ladder }: { attempt: number; toolMode: 'native' | 'action'; ladder: Ladder },
): Promise<TurnReader> {
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
      ladder,
      ...(fetch && { fetch }),
    })
    for await (const batch of untilAborted(batches, signal)) {
      const isOwned = call.confirm?.() ?? true
      if (isOwned !== true && !(await isOwned)) break
      for (const part of batch) reader.read(part)
      // An error ends the attempt, even while the stream of a turn that is too large continues.
      if (reader.error !== null) break
    }
  } catch (error) {
    // A provider that throws (a custom one, or a key function that rejects) fails the attempt.
    reader.read({ type: 'error', error: toErrorData(error) })
  }
  return reader
}
