import type { CompactionOptions, CompactionPolicy } from '../../protocol/compaction.ts'
import type { Usage } from '../../protocol/message.ts'
import type { StepContext } from '../../protocol/questions.ts'
import { modelFacts } from '../../providers/catalogue/model-facts.ts'
import { buildRequest } from '../model/build-request.ts'
import type { ModelCall } from '../model/call-model.ts'
import {
  planCompaction,
  sentTokens,
  type PlannedCompaction,
} from '../model/compaction/plan-compaction.ts'
import { fixedTokens, outputTokens } from '../model/compaction/request-size.ts'
import type { CountedRun } from './counters.ts'
import type { RunContext } from './run-context.ts'
import { summarize, type Summary } from './summarize.ts'

const DEFAULTS = { at: 0.8, policy: 'auto' } as const

/** Of the room: less isn't worth that the server's cache of the prompt is broken. */
const WORTH_ASKED = 0.15
/** Of what was sent: whoever refused it counts otherwise than the estimate. */
const WORTH_REFUSED = 0.3
/** Of the room, for the summary of what is left out. */
const SUMMARY_PART = 0.15

const COMPACTED =
  'Older results or messages are no longer sent, so that the conversation fits the model. Nothing stored was changed.'

interface Asking extends Pick<ModelCall, 'confirm'> {
  readonly stepContext: StepContext
  /** Before a step is asked for, or after its request was refused as too long. */
  readonly occasion: 'asked' | 'refused'
}

/**
 * Makes room in the model's context, where the next request would not fit; true when something was left out. With
 * an unknown window that is found out from the server, which refuses what is too long.
 */
export async function makeRoom(context: RunContext, asking: Asking): Promise<boolean> {
  const { conversation, runId, signal } = context
  const { stepContext, occasion } = asking
  const { compaction = DEFAULTS } = stepContext
  if (compaction === false) return false
  const room = roomOf(context, stepContext, compaction)
  if (room === undefined && occasion === 'asked') return false
  const policy = compaction.policy ?? DEFAULTS.policy
  const plan = (run: CountedRun | null): PlannedCompaction | null => {
    const isOpen = run?.runId === runId && run.end === null
    return isOpen ? planFor(context, run, { ...asking, room, policy }) : null
  }
  const planned = plan(conversation.run)
  if (planned === null) return false
  // What was refused as too long is too long with one more turn, too.
  const mayAsk = occasion === 'asked' && policy !== 'drop-oldest' && conversation.run !== null
  const summary =
    mayAsk && planned.type === 'compacted'
      ? await summarize(context, conversation.run, {
          ...asking,
          maxTokens: (room ?? 0) * SUMMARY_PART,
        })
      : null
  if (signal.aborted) return false
  const made = await conversation.append((run) => {
    const fact = plan(run)
    return fact && [withSummary(fact, summary)]
  })
  if (made) notify(context)
  return made
}

/** Compares what the server counted in the newest request with its estimate. Before the answer is appended. */
export function learnTokens(context: RunContext, stepContext: StepContext, usage: Usage): void {
  const { compaction = DEFAULTS, model } = stepContext
  const { run } = context.conversation
  const counted = usage.inputTokens
  if (compaction === false || run === null || counted === undefined) return
  if (windowOf(stepContext, compaction) === undefined) return
  context.memory.rememberTokens(model, {
    counted,
    estimated: sizeOf(context, run, stepContext).sent,
  })
}

function windowOf(
  { model }: StepContext,
  { contextWindow }: CompactionOptions,
): number | undefined {
  return contextWindow ?? model.contextWindow ?? modelFacts(model.model).contextWindow
}

/** Estimated tokens that a request may have; undefined where nobody knows. */
function roomOf(
  { memory }: RunContext,
  stepContext: StepContext,
  compaction: CompactionOptions,
): number | undefined {
  const { model } = stepContext
  const window = windowOf(stepContext, compaction)
  if (window === undefined) return undefined
  const { at = DEFAULTS.at } = compaction
  return ((window - outputTokens(model, window)) * at) / memory.tokenFactor(model)
}

/** Of the next request, in estimated tokens. */
function sizeOf(
  { conversation: { state }, memory }: RunContext,
  run: CountedRun,
  stepContext: StepContext,
): { readonly fixed: number; readonly sent: number } {
  const toolMode = memory.toolMode(stepContext.model)
  const fixed = fixedTokens(buildRequest(state, run, { stepContext, toolMode }))
  return { fixed, sent: sentTokens(state, fixed) }
}

function planFor(
  context: RunContext,
  run: CountedRun,
  {
    stepContext,
    occasion,
    room,
    policy,
  }: Asking & { readonly room: number | undefined; readonly policy: CompactionPolicy },
): PlannedCompaction | null {
  const { state } = context.conversation
  const { fixed, sent } = sizeOf(context, run, stepContext)
  if (occasion === 'refused' || room === undefined)
    return planCompaction(state, { total: sent, fixed, worth: sent * WORTH_REFUSED }, policy)
  if (sent < room) return null
  return planCompaction(state, { total: room, fixed, worth: room * WORTH_ASKED }, policy)
}

function withSummary(fact: PlannedCompaction, summary: Summary | null): PlannedCompaction {
  if (fact.type !== 'compacted' || summary === null) return fact
  const { text, usage } = summary
  return { ...fact, summary: text, ...(usage.modelCalls > 0 && { usage }) }
}

function notify({ conversation, runId, stream }: RunContext): void {
  const step = (conversation.run?.steps ?? 0) + 1
  stream.delta({
    type: 'warning',
    code: 'context-compacted',
    message: COMPACTED,
    runId,
    step,
    attempt: 1,
  })
}
