import { contextOn } from '../../conversation/context.ts'
import type { CompactionSettings } from '../../protocol/compaction.ts'
import { isRecord } from '../../lib/is-record.ts'
import { OffstageError, type ErrorData } from '../../protocol/error.ts'
import type { StepContext } from '../../protocol/page-calls.ts'
import { modelFacts } from '../../providers/catalogue/model-facts.ts'
import { buildRequest } from '../model/build-request.ts'
import { sentTokens } from '../model/compaction.ts'
import { countsOf, fixedSize, outputTokens, type FixedSize } from '../model/token-counts.ts'
import {
  type RequestedStep,
  PROMPT_TRUNCATED,
  MIN_READ_SHARE,
  report,
  truncationSigns,
  type TurnOutcome,
} from './ask-model.ts'
import type { CountedRun } from './counters.ts'
import type { ModelsContext } from './run-context.ts'

export const COMPACTION_DEFAULTS = { at: 0.8, policy: 'auto' } as const

/** A request certainly doesn't fit if its estimate exceeds the window by this factor. Estimates are mostly too high. */
const TOO_SMALL = 1.5

/**
 * Compares the server's token count for the newest request with our estimate, and warns if the server silently cuts
 * requests. Call this before the answer is appended.
 */
export function learnTokens(
  context: ModelsContext,
  { step, stepContext }: RequestedStep,
  { attempt, turn: { usage }, toolMode }: TurnOutcome,
): void {
  const { compaction = COMPACTION_DEFAULTS, model } = stepContext
  const { conversation, memory, runId } = context
  const { run, state } = conversation
  const { inputTokens } = usage
  if (run === null || inputTokens === undefined || usage.estimated) return
  const { input, cached, written } = countsOf(usage, model.provider)
  const { sent } = sizeOf(context, run, stepContext)
  if (compaction !== false && windowOf(context, stepContext, compaction) !== undefined)
    memory.rememberTokens(model, { counted: input + cached + written, estimated: sent })
  // Some servers exclude cached tokens from `inputTokens`.
  const counted = inputTokens + cached + written
  const truncation =
    counted < MIN_READ_SHARE * sent &&
    truncationSigns(buildRequest(state, run, { stepContext, toolMode }), counted)
  if (!memory.provesTruncation(model, truncation ? truncation.signs : 0) || !truncation) return
  const message = `The server read about ${counted} of ${truncation.least} tokens: raise its context length (OLLAMA_CONTEXT_LENGTH).`
  report(context, { type: 'warning', code: PROMPT_TRUNCATED, message, runId, step, attempt })
}

/**
 * Restores the model's token factor from the newest compaction if this worker hasn't learned one yet. Without the
 * factor, the next request may be too long before the server reports a new count.
 */
export function recallTokens(
  context: ModelsContext,
  run: CountedRun,
  stepContext: StepContext,
): void {
  const { conversation, memory } = context
  const { model } = stepContext
  if (memory.knowsTokens(model)) return
  const { state } = conversation
  const rows = contextOn(state)
  const newestIndex = rows.findLastIndex((row) => 'tokensAfter' in row)
  const row = rows[newestIndex]
  if (row === undefined || !('tokensAfter' in row) || row.tokensAfter === undefined) return
  const head = state.path.findLastIndex(({ id }) => id === row.after)
  const earlierState = {
    ...state,
    path: state.path.slice(0, head + 1),
    context: rows.slice(0, newestIndex + 1),
  }
  const { fixed } = sizeOf(context, run, stepContext)
  memory.rememberTokens(model, {
    counted: row.tokensAfter,
    estimated: sentTokens(earlierState, fixed),
  })
}

/** Remembers the context window that a server names when it refuses a request as too long. */
export function learnWindow(
  { memory }: ModelsContext,
  { model }: StepContext,
  error: ErrorData,
): void {
  const limits = error.details?.['limits']
  const contextWindow = isRecord(limits) && limits['contextWindow']
  if (typeof contextWindow === 'number' && contextWindow > 0)
    memory.rememberWindow(model, contextWindow)
}

/** The app's setting overrides the server's report, which may be temporary. The catalogue comes last. */
function windowOf(
  { memory }: ModelsContext,
  { model }: StepContext,
  { contextWindow }: CompactionSettings,
): number | undefined {
  return (
    contextWindow ??
    model.contextWindow ??
    memory.contextWindow(model) ??
    modelFacts(model.model).contextWindow
  )
}

/** Maximum of estimated tokens in a request. Undefined if the context window is unknown. */
export function roomOf(
  context: ModelsContext,
  stepContext: StepContext,
  compaction: CompactionSettings,
): number | undefined {
  const { memory } = context
  const { model } = stepContext
  const window = windowOf(context, stepContext, compaction)
  if (window === undefined) return undefined
  const { at: share = COMPACTION_DEFAULTS.at } = compaction
  return ((window - outputTokens(model, window)) * share) / memory.tokenFactor(model)
}

/** Sizes in estimated tokens. */
interface RequestSize {
  readonly size: FixedSize
  /** The sum of `size`. */
  readonly fixed: number
  /** `fixed` plus the messages. */
  readonly sent: number
}

/** Size of the run's next request. */
export function sizeOf(
  context: ModelsContext,
  run: CountedRun,
  stepContext: StepContext,
): RequestSize {
  const {
    conversation: { state },
    memory,
  } = context
  const toolMode = memory.toolMode(stepContext.model)
  const size = fixedSize(buildRequest(state, run, { stepContext, toolMode }))
  const fixed = size.instructions + size.context + size.tools
  return { size, fixed, sent: sentTokens(state, fixed) }
}

/** Throws if a configured window can't hold even the fixed parts of a request: compaction wouldn't help. */
export function refuseTooSmall(
  { model, compaction = COMPACTION_DEFAULTS }: StepContext,
  { size, fixed }: RequestSize,
): void {
  const window = compaction ? (compaction.contextWindow ?? model.contextWindow) : undefined
  if (window === undefined || fixed <= window * TOO_SMALL) return
  const { instructions, context, tools } = size
  throw new OffstageError(
    'context-too-small',
    `The context window of ${window} tokens is too small. Every request needs about ${fixed}: instructions ${instructions}, tools ${tools}, context ${context}. Give the model a larger window, fewer tools or shorter texts.`,
    { details: { contextWindow: window, instructions, tools, context } },
  )
}
