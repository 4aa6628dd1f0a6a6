import { addCost } from '../../conversation/usage.ts'
import type { ErrorData } from '../../protocol/error.ts'
import type { RunUsage } from '../../protocol/message.ts'
import type { CompactionChoice } from '../../protocol/compaction.ts'
import type { ConversationState } from '../../protocol/state.ts'
import type { ModelCall } from '../model/call-model.ts'
import { checkChoice } from '../model/compaction/check-choice.ts'
import { planCompaction, planStale, type Policy } from '../model/compaction/plan-compaction.ts'
import { tokensWith, type PlannedCompaction } from '../model/compaction/planned.ts'
import { chooseCompaction } from './choose-compaction.ts'
import { breakOff, isSpent } from './compaction-breaker.ts'
import { COMPACTION_DEFAULTS } from './context-room.ts'
import type { CountedRun } from './counters.ts'
import { roomNeeded, type Occasion, type RoomNeeded } from './room-needed.ts'
import { stopsWithoutEnd, type RunContext } from './run-context.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { summarize, type Summary } from './summarize.ts'

/** Share of the room that the summary of left-out messages may take. */
const SUMMARY_PART = 0.15

const COMPACTED =
  'Older results or messages are no longer sent, so that the conversation fits the model.'

const NO_CALLS: RunUsage = { modelCalls: 0 }

const NOT_NEEDED: ErrorData = {
  code: 'aborted',
  message: 'The summary that the model was asked for is of no use any more.',
  retryable: false,
}

type Asking = Occasion & Pick<ModelCall, 'confirm'>

/** Decides what to leave out: a policy, or the app's choice for this occasion. */
type Way =
  | Policy
  | { readonly choice: CompactionChoice; readonly superseding: Policy['superseding'] }

/**
 * Compacts the context if the next request wouldn't fit, or if much of it is out of date. Returns true if something was
 * left out. If the window is unknown, only the server's refusal shows that a request is too long.
 */
export async function makeRoom(context: RunContext, asking: Asking): Promise<boolean> {
  const { conversation, signal } = context
  const settings = asking.stepContext.compaction ?? COMPACTION_DEFAULTS
  if (settings === false) return false
  const need = (run: CountedRun | null): RoomNeeded | null =>
    roomNeeded(context, run, { ...asking, settings })
  const needed = need(conversation.run)
  const way = needed && (await wayOf(context, { ...asking, needed, policy: settings.policy }))
  if (!way || signal.aborted) return false
  const plan = (now: RoomNeeded | null): readonly PlannedCompaction[] =>
    now ? planned(conversation.state, now, way) : []
  const facts = plan(needed)
  if (isVain(context, { ...asking, way, facts, needed })) breakOff(context)
  const summary = await summaryFor(context, { ...asking, way, facts, needed })
  if (stopsWithoutEnd(signal)) return false
  let isMade = false
  await conversation.append((run) => {
    const now = signal.aborted ? null : need(run)
    const ready = plan(now).map((fact) => withSummary(fact, summary))
    isMade = ready.length > 0
    const made = now ? counted(context, ready, { asking, now }) : []
    const all = ready.some(isCompacted) ? made : [...made, ...unused(context, run, summary)]
    return all.length > 0 ? all : null
  })
  if (isMade) notify(context)
  return isMade
}

/** Stores the usage of a summary that isn't needed any more, since its model calls cost tokens anyway. */
function unused(
  { runId }: RunContext,
  run: CountedRun | null,
  summary: Summary | null,
): FactDraft[] {
  if (run?.runId !== runId || run.end !== null) return []
  const paid = summary?.attempts.filter((usage) => Object.keys(usage).length > 0) ?? []
  const ref = { type: 'attempt-failed', step: run.steps + 1, attempt: 1 } as const
  return paid.map((usage) => ({ ...ref, usage, error: NOT_NEEDED }))
}

/** Chooses the policy, or asks the app. Null: the app wants nothing left out. */
async function wayOf(
  context: RunContext,
  {
    policy = COMPACTION_DEFAULTS.policy,
    needed,
    ...occasion
  }: Occasion & {
    readonly policy: Policy['policy'] | 'custom' | undefined
    readonly needed: RoomNeeded
  },
): Promise<Way | null> {
  const superseding = new Set(
    occasion.stepContext.tools.flatMap(({ name, annotations }) =>
      annotations.supersedes ? name : [],
    ),
  )
  if (policy !== 'custom') return { policy, superseding }
  if (!needed.isShort) return { policy: COMPACTION_DEFAULTS.policy, superseding }
  const chosen = await chooseCompaction(context, occasion, needed)
  if (chosen === null) return null
  return typeof chosen === 'string'
    ? { policy: chosen, superseding }
    : { choice: chosen, superseding }
}

function planned(
  state: ConversationState,
  { room, budget, isShort }: RoomNeeded,
  way: Way,
): readonly PlannedCompaction[] {
  if (isShort && 'choice' in way) {
    const checked = checkChoice(state, way.choice, { fixed: room.fixed, total: budget })
    return 'facts' in checked ? checked.facts : []
  }
  const fact =
    isShort && 'policy' in way
      ? planCompaction(state, room, way)
      : planStale(state, room.total, way.superseding)
  return fact ? [fact] : []
}

interface Making {
  readonly way: Way
  readonly facts: readonly PlannedCompaction[]
  readonly needed: RoomNeeded
}

/**
 * Whether to give up: the last compactions freed hardly anything, and this one costs a model call or doesn't free
 * enough.
 */
function isVain(
  { conversation: { state }, runId }: RunContext,
  { way, facts, needed, occasion }: Asking & Making,
): boolean {
  if (!needed.isShort || occasion === 'refused' || facts.length === 0) return false
  const { room, budget, limit = budget } = needed
  const isEnough = tokensWith(state, room.fixed, facts) <= limit
  return (isSummarized(way, facts) || !isEnough) && isSpent(state, runId)
}

/** Whether the model has to summarize the messages that the policy leaves out. */
function isSummarized(way: Way, facts: readonly PlannedCompaction[]): boolean {
  return 'policy' in way && way.policy !== 'drop-oldest' && facts.some(isCompacted)
}

async function summaryFor(
  context: RunContext,
  { way, facts, needed, ...asking }: Asking & Making,
): Promise<Summary | null> {
  const { run } = context.conversation
  // The server refused the request as too long. With the turn that asks for a summary, it is even longer.
  if (!isSummarized(way, facts) || asking.occasion === 'refused' || run === null) return null
  const maxTokens = needed.room.total * SUMMARY_PART
  return summarize(context, run, { ...asking, maxTokens, limit: needed.limit })
}

function isCompacted({ type }: PlannedCompaction): boolean {
  return type === 'compacted'
}

function withSummary(fact: PlannedCompaction, summary: Summary | null): PlannedCompaction {
  if (fact.type !== 'compacted' || summary === null) return fact
  const { text, attempts } = summary
  const usage = attempts.reduce(addCost, NO_CALLS)
  return { ...fact, summary: text, ...(usage.modelCalls > 0 && { usage }) }
}

/** Adds the size of the request before and after each fact. */
function counted(
  { conversation: { state }, memory }: RunContext,
  facts: readonly PlannedCompaction[],
  { asking, now }: { readonly asking: Asking; readonly now: RoomNeeded },
): readonly PlannedCompaction[] {
  const factor = memory.tokenFactor(asking.stepContext.model)
  const tokens = facts.map((_, at) =>
    Math.round(tokensWith(state, now.room.fixed, facts.slice(0, at + 1)) * factor),
  )
  return facts.map((fact, at) => ({
    ...fact,
    tokensBefore: tokens[at - 1] ?? Math.round(now.sent * factor),
    tokensAfter: tokens[at] ?? 0,
  }))
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
