import type { StepContext } from '../protocol/api.ts'
import { toErrorData, type ErrorData } from '../protocol/error.ts'
import type { RunEventBody } from '../protocol/event.ts'
import type { Usage } from '../protocol/message.ts'
import { retryDelay } from '../providers/core/retry-delay.ts'
import type { ModelRequest, Provider, StreamOptions } from '../providers/provider.ts'
import type { Effects } from './effects.ts'
import type { ModelMemory } from './model-memory.ts'
import { untilAborted } from './stoppable.ts'
import { readsTextCalls } from './text-calls.ts'
import { TurnReader, type ModelTurn } from './turn-reader.ts'

export type ModelOutcome =
  | { readonly type: 'turn'; readonly turn: ModelTurn; readonly toolMode: 'native' | 'action' }
  | { readonly type: 'failed'; readonly error: ErrorData; readonly partial: string }
  | { readonly type: 'aborted'; readonly partial: string }

export interface ModelCall {
  readonly step: number
  readonly context: StepContext
  /** The request in either tool mode, since a refusal of tools changes it. */
  readonly request: (toolMode: 'native' | 'action') => ModelRequest
  readonly provider: Provider
  readonly memory: ModelMemory
  readonly effects: Effects
  readonly signal: AbortSignal
  readonly credentials: NonNullable<StreamOptions['credentials']>
  /** Default: the worker's own. */
  readonly fetch?: StreamOptions['fetch'] | undefined
  readonly emit: (event: RunEventBody) => void
  readonly isUsedId: (toolCallId: string) => boolean
  /** A failed attempt's usage, to be journaled. */
  readonly attemptFailed: (usage: Usage) => Promise<unknown>
}

/**
 * One step's model call: attempts until one is proven complete, within the retry policy. Nothing of
 * a failed attempt is kept but its usage; what was shown of it is withdrawn by `step-reset`.
 */
export async function callModel(call: ModelCall): Promise<ModelOutcome> {
  const { context, effects, signal, emit } = call
  for (let attempt = 1, retries = 0; ; attempt++) {
    const toolMode = call.memory.toolMode(context.model)
    emit({ type: 'step-start', step: call.step, attempt })
    const reader = await readAttempt(call, { attempt, toolMode })
    if (signal.aborted) return { type: 'aborted', partial: reader.text }
    const turn = reader.end()
    if (turn) return { type: 'turn', turn, toolMode }

    const error = reader.error ?? INCOMPLETE
    if (Object.keys(reader.usage).length > 0) await call.attemptFailed(reader.usage)
    const refused = toolMode === 'native' && isToolRefusal(call, error)
    const delayMs = refused
      ? 0
      : retryDelay(error, retries + 1, { policy: context.model.retry, random: effects.random })
    if (delayMs === null) return failure(call, error, reader)
    if (reader.isVisible) withdraw(call, error)
    if (refused) {
      call.memory.rememberRefusal(context.model)
      emit({ type: 'warning', code: 'tools-refused', message: REFUSED })
    } else {
      retries += 1
      emit({ type: 'retry', attempt: retries, delayMs, error })
      await effects.sleep(delayMs, signal)
      if (signal.aborted) return { type: 'aborted', partial: '' }
    }
  }
}

/** Of a turn that was too large nothing is kept: sent back with the next one, it would fill that, too. */
function failure(call: ModelCall, error: ErrorData, reader: TurnReader): ModelOutcome {
  if (error.code !== 'response-too-large') return { type: 'failed', error, partial: reader.text }
  if (reader.isVisible) withdraw(call, error)
  return { type: 'failed', error, partial: '' }
}

function withdraw({ emit, step }: ModelCall, reason: ErrorData): void {
  emit({ type: 'step-reset', step, reason })
}

const REFUSED =
  'The server refuses tools for this model; it is asked in ACTION mode from now on. Set toolMode to skip the probe.'

const INCOMPLETE: ErrorData = {
  code: 'stream-incomplete',
  message: 'The stream ended without proof of its end.',
  retryable: true,
}

function isToolRefusal(call: ModelCall, error: ErrorData): boolean {
  return (
    error.code === 'tools-unsupported' &&
    (call.context.model.toolMode ?? 'auto') === 'auto' &&
    call.context.tools.length > 0
  )
}

async function readAttempt(
  call: ModelCall,
  { attempt, toolMode }: { attempt: number; toolMode: 'native' | 'action' },
): Promise<TurnReader> {
  const reader = new TurnReader({
    toolMode,
    textCalls: readsTextCalls(call.context.model, toolMode),
    tools: call.context.tools,
    caps: call.context.model.caps,
    partPrefix: `${call.step}.${attempt}.`,
    emit: call.emit,
    withdraw: (reason) => withdraw(call, reason),
    raw: call.context.raw,
    newId: call.effects.newId,
    isUsedId: call.isUsedId,
  })
  const { signal, credentials, fetch } = call
  try {
    const batches = call.provider.batches(call.request(toolMode), {
      signal,
      credentials,
      ...(fetch && { fetch }),
    })
    for await (const batch of untilAborted(batches, signal)) {
      for (const part of batch) reader.read(part)
      // An error is the end; what a turn that is too large goes on with isn't waited for.
      if (reader.error !== null) break
    }
  } catch (error) {
    // A provider that throws (a custom one, or a key function that rejects) fails the attempt.
    reader.read({ type: 'error', error: toErrorData(error) })
  }
  return reader
}
