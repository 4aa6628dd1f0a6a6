import { addCost } from '../../conversation/usage.ts'
import { describeThrown, type ErrorData, OffstageError } from '../../protocol/error.ts'
import type { RunUsage, Usage, UserMessage } from '../../protocol/message.ts'
import type {
  CompactionChoice,
  CompactionPolicy,
  CompactionSettings,
  CompactionSituation,
} from '../../protocol/compaction.ts'
import type { ConversationState } from '../../protocol/state.ts'
import type { ModelCall } from '../model/call-model.ts'
import {
  checkChoice,
  landmarks,
  planCompaction,
  type PlannedCompaction,
  planStale,
  type Policy,
  type Room,
  sentTokens,
  tokensWith,
  sentSizes,
  syntheticMessage,
} from '../model/compaction.ts'
import {
  COMPACTION_DEFAULTS,
  recallTokens,
  refuseTooSmall,
  roomOf,
  sizeOf,
} from './context-room.ts'
import type { CountedRun } from './counters.ts'
import { stopsWithoutEnd, type DrivenRun, type ModelsContext } from './run-context.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { contextOn } from '../../conversation/context.ts'
import { messageText } from '../../conversation/result.ts'
import { estimateTokens } from '../../lib/estimate-tokens.ts'
import type { CompactionAnswer, StepContext } from '../../protocol/page-calls.ts'
import { buildRequest } from '../model/build-request.ts'
import { messageTokens } from '../model/token-counts.ts'
import { askQuietly } from './ask-model.ts'
import { compactionsOn } from '../../conversation/compactions.ts'

/**
 * Smallest fraction of the available tokens worth freeing, because each change invalidates the server's prompt cache.
 */
const MIN_FREED_SHARE = 0.15
/** Fraction of a refused request to free. Not computed from the window, because our estimate was evidently too low. */
const MIN_FREED_SHARE_REFUSED = 0.3
/**
 * Context window assumed for a model whose window is unknown, in tokens. Used only to judge whether clearing stale
 * results pays.
 */
const ASSUMED_WINDOW = 32_000

interface Occasion {
  readonly stepContext: StepContext
  /** `asked`: before a step's request. `refused`: after the server refused the request as too long. */
  readonly occasion: 'asked' | 'refused'
}

/** Sizes in estimated tokens. */
interface RoomNeeded {
  readonly room: Room
  /** Maximum size of the next request. */
  readonly budget: number
  /** Size that the context window can hold. Undefined if the window is unknown. */
  readonly limit: number | undefined
  /** Size of the next request without a compaction. */
  readonly sent: number
  /** Whether the next request is too long. If not, only stale results may be cleared. */
  readonly isShort: boolean
}

/**
 * Sizes for the run's next request. Null if the run is no longer open. Throws `context-too-small` if no compaction
 * could help.
 */
function roomNeeded(
  context: ModelsContext,
  run: CountedRun | null,
  { stepContext, occasion, settings }: Occasion & { readonly settings: CompactionSettings },
): RoomNeeded | null {
  if (run === null || run.runId !== context.runId || run.end !== null) return null
  recallTokens(context, run, stepContext)
  const size = sizeOf(context, run, stepContext)
  const { fixed, sent } = size
  if (occasion === 'refused') {
    const minFreed = sent * MIN_FREED_SHARE_REFUSED
    const room = { total: sent, fixed, minFreed }
    return { room, budget: sent - minFreed, limit: undefined, sent, isShort: true }
  }
  const available = roomOf(context, stepContext, settings)
  if (available !== undefined) refuseTooSmall(stepContext, size)
  const total = available ?? ASSUMED_WINDOW / context.memory.tokenFactor(stepContext.model)
  const isShort = available !== undefined && sent >= available
  const limit = available && available / (settings.at ?? COMPACTION_DEFAULTS.at)
  const room = { total, fixed, minFreed: total * MIN_FREED_SHARE }
  return { room, budget: total, limit, sent, isShort }
}

/**
 * Asks the app's policy what to leave out. Null if the policy wants to keep everything, or the run was stopped. If the
 * policy fails, the default policy is used.
 */
async function chooseCompaction(
  context: ModelsContext,
  occasion: Occasion,
  needed: RoomNeeded,
): Promise<CompactionChoice | CompactionPolicy | null> {
  const answer = await askPage(context, situationOf(context, occasion, needed))
  if (answer === null) return null
  if (answer.type === 'failed') return fallBack(context, answer.message)
  const { choice } = answer
  if (choice === null || typeof choice === 'string') return choice
  const { room, budget } = needed
  const checked = checkChoice(context.conversation.state, choice, {
    fixed: room.fixed,
    total: budget,
  })
  return 'fault' in checked ? fallBack(context, checked.fault) : choice
}

function situationOf(
  { conversation: { conversationId, state }, memory, runId }: ModelsContext,
  { stepContext, occasion }: Occasion,
  { room, budget, sent }: RoomNeeded,
): CompactionSituation {
  const factor = memory.tokenFactor(stepContext.model)
  const scaled = (estimated: number): number => Math.round(estimated * factor)
  const sizes = sentSizes(state.path, contextOn(state), messageTokens)
  return {
    runId,
    conversationId,
    occasion: occasion === 'refused' ? 'refused' : 'near-limit',
    messages: state.path.map(({ id, message }, index) => ({
      id,
      message,
      tokens: scaled(sizes[index] ?? 0),
    })),
    tokens: scaled(sent),
    fixedTokens: scaled(room.fixed),
    budget: scaled(budget),
    compactions: compactionsOn(state),
  }
}

/** Returns null if the run was stopped meanwhile. */
async function askPage(
  { agentId, page, signal }: DrivenRun,
  situation: CompactionSituation,
): Promise<CompactionAnswer | null> {
  const { conversationId, runId } = situation
  try {
    return await page.chooseCompaction({ agentId, ...situation })
  } catch (error) {
    if (signal.aborted) {
      page.stopChoosing({ agentId, conversationId, runId }).catch(() => undefined)
      return null
    }
    // The agent was disposed. The run's next owner asks the policy again.
    if (OffstageError.is(error) && error.code === 'disposed') throw error
    return { type: 'failed', message: describeThrown(error) }
  }
}

function fallBack(context: DrivenRun, reason: string): CompactionPolicy {
  const { policy } = COMPACTION_DEFAULTS
  const message = `compaction.policy has failed, so '${policy}' is used instead: ${reason}`
  warn(context, 'compaction-failed', message)
  return policy
}

/** Warns before the next step. */
function warn({ conversation, runId, stream }: DrivenRun, code: string, message: string): void {
  const step = (conversation.run?.steps ?? 0) + 1
  stream.pushDelta({ type: 'warning', code, message, runId, step, attempt: 1 })
}

/**
 * A compaction is useless if it freed less than this fraction of the request, and the next step already needs another
 * compaction.
 */
const USEFUL_SHARE = 0.2

/** Number of useless compactions in consecutive steps after which the run fails. */
const MAX_USELESS = 2

const EXHAUSTED = `The last ${MAX_USELESS} requests were too long. Less than ${USEFUL_SHARE * 100} % of each could be left out. Use a model with a larger window, or have tools return less.`

interface Compaction {
  /** Tokens of the request before and after the compaction. */
  readonly before: number
  readonly after: number
  /** Model outputs since the compaction. */
  readonly age: number
}

/** Whether the run's last compactions were useless. */
function isExhausted(state: ConversationState, runId: string): boolean {
  const newest = compactionsIn(state, runId).slice(-MAX_USELESS)
  return (
    newest.length === MAX_USELESS &&
    newest.every(
      ({ before, after, age }, index) =>
        after > before * (1 - USEFUL_SHARE) && age <= MAX_USELESS - index,
    )
  )
}

/** Warns, and ends the run with `context-overflow`. */
function failExhausted(context: DrivenRun): never {
  warn(context, 'compaction-spent', EXHAUSTED)
  throw new OffstageError('context-overflow', EXHAUSTED)
}

/** The run's compactions, oldest first. Rows before the same step count as one compaction. */
function compactionsIn(state: ConversationState, runId: string): readonly Compaction[] {
  const ages = agesIn(state, runId)
  const byHead = new Map<string, Compaction>()
  for (const row of contextOn(state)) {
    if (row.type !== 'compacted' && row.type !== 'results-cleared') continue
    const { after: head, tokensBefore, tokensAfter: after } = row
    const age = head === null ? undefined : ages.get(head)
    if (head === null || age === undefined || !tokensBefore || after === undefined) continue
    byHead.set(head, { before: byHead.get(head)?.before ?? tokensBefore, after, age })
  }
  return [...byHead.values()]
}

/** The number of model outputs after each of the run's messages, by message id. */
function agesIn({ path }: ConversationState, runId: string): ReadonlyMap<string, number> {
  const ages = new Map<string, number>()
  let outputs = 0
  for (const node of path.toReversed()) {
    if (node.runId !== runId) continue
    ages.set(node.id, outputs)
    if (node.message.role === 'assistant') outputs++
  }
  return ages
}

interface Summary {
  /** Empty if the model gave no usable summary. */
  readonly text: string
  /** Usage of each attempt, including the one that gave the summary. */
  readonly attempts: readonly Usage[]
}

interface Summarizing extends Pick<ModelCall, 'confirm'> {
  readonly stepContext: StepContext
  /** Maximum length in estimated tokens. A longer summary is cut off. */
  readonly maxTokens: number
  /** Estimated tokens that fit into the context window. Undefined if the window is unknown. */
  readonly limit: number | undefined
}

const SUMMARY_REQUEST: UserMessage = syntheticMessage(
  'Room has to be made: the oldest messages above will no longer be sent. Write a summary of the conversation so far that lets you go on without them: what the person wants, what was agreed, found (with names, numbers and ids) and done, and what remains to be done. Write the summary only, in the language of the conversation, in 300 words at most. Call no tools.',
)

/**
 * Asks the model to summarize the messages to be left out. Never fails: without a summary, the messages are left out
 * nevertheless.
 *
 * Sends the request of the next or previous step with one added message, so that the server's prompt cache matches.
 */
async function summarize(
  context: ModelsContext,
  run: CountedRun,
  { stepContext, confirm, maxTokens, limit }: Summarizing,
): Promise<Summary> {
  const { effects } = context
  const attempts: Usage[] = []
  const state = stateToSummarize(context, run, { stepContext, limit })
  if (state === null) return { text: '', attempts }
  const outcome = await askQuietly(context, run, {
    stepContext: { ...stepContext, model: { ...stepContext.model, toolChoice: 'none' } },
    messageId: effects.newId('msg_'),
    confirm,
    request: (toolMode) => {
      const request = buildRequest(state, run, { stepContext, toolMode })
      return { ...request, messages: [...request.messages, SUMMARY_REQUEST] }
    },
    attemptFailed: async (attempt) => {
      attempts.push(attempt.usage)
    },
  })
  if (outcome.type !== 'turn') return { text: '', attempts: [...attempts, outcome.usage] }
  const { usage, finishReason } = outcome.turn
  // The text of a refusal isn't a summary.
  const text = finishReason === 'content-filter' ? '' : messageText(outcome.turn).trim()
  return { text: truncate(text, maxTokens), attempts: [...attempts, usage] }
}

/**
 * The messages to summarize: all messages, if they fit into the window. Otherwise the messages before the newest step:
 * they were that step's request, so the server's prompt cache matches. Null if these don't fit, either.
 */
function stateToSummarize(
  context: ModelsContext,
  run: CountedRun,
  { stepContext, limit = Infinity }: Pick<Summarizing, 'stepContext' | 'limit'>,
): ConversationState | null {
  const { state } = context.conversation
  const { fixed, sent } = sizeOf(context, run, stepContext)
  const available = limit - messageTokens(SUMMARY_REQUEST)
  if (sent <= available) return state
  const earlier = { ...state, path: state.path.slice(0, landmarks(state.path).newestStep) }
  return earlier.path.length > 0 && sentTokens(earlier, fixed) <= available ? earlier : null
}

function truncate(text: string, maxTokens: number): string {
  const tokens = estimateTokens(text)
  if (tokens <= maxTokens) return text
  const characters = Array.from(text)
  return `${characters.slice(0, Math.floor((characters.length * maxTokens) / tokens)).join('')} …`
}

/** Maximum length of the summary, as a fraction of the available tokens. */
const SUMMARY_SHARE = 0.15

const COMPACTED =
  'Older results or messages are no longer sent, so that the conversation fits the model.'

const NO_CALLS: RunUsage = { modelCalls: 0 }

const NOT_NEEDED: ErrorData = {
  code: 'aborted',
  message: 'The requested summary is no longer needed.',
  retryable: false,
}

type CompactOptions = Occasion & Pick<ModelCall, 'confirm'>

/** Decides what to leave out: a policy, or the app's choice for this occasion. */
type Strategy =
  | Policy
  | { readonly choice: CompactionChoice; readonly superseding: Policy['superseding'] }

/**
 * Compacts the context if the next request wouldn't fit, or has many outdated results. Returns true if it left
 * something out. If the context window is unknown, only the server's refusal shows that a request is too long.
 */
export async function compactIfNeeded(
  context: ModelsContext,
  options: CompactOptions,
): Promise<boolean> {
  const { conversation, signal } = context
  const settings = options.stepContext.compaction ?? COMPACTION_DEFAULTS
  if (settings === false) return false
  const computeRoom = (run: CountedRun | null): RoomNeeded | null =>
    roomNeeded(context, run, { ...options, settings })
  const needed = computeRoom(conversation.run)
  const strategy =
    needed && (await chooseStrategy(context, { ...options, needed, policy: settings.policy }))
  if (!strategy || signal.aborted) return false
  const planFacts = (current: RoomNeeded | null): readonly PlannedCompaction[] =>
    current ? planWith(conversation.state, current, strategy) : []
  const facts = planFacts(needed)
  if (isFutile(context, { ...options, strategy, facts, needed })) failExhausted(context)
  const summary = await summaryFor(context, { ...options, strategy, facts, needed })
  if (stopsWithoutEnd(signal)) return false
  let hasCompacted = false
  await conversation.append((run) => {
    const current = signal.aborted ? null : computeRoom(run)
    const compactions = planFacts(current).map((fact) => withSummary(fact, summary))
    hasCompacted = compactions.length > 0
    const sized = current ? withSizes(context, compactions, { options, needed: current }) : []
    const allFacts = compactions.some(isCompacted)
      ? sized
      : [...sized, ...unusedSummaryFacts(context, run, summary)]
    return allFacts.length > 0 ? allFacts : null
  })
  if (hasCompacted) warn(context, 'context-compacted', COMPACTED)
  return hasCompacted
}

/** Stores the usage of a summary that is no longer needed: its model calls have cost tokens. */
function unusedSummaryFacts(
  { runId }: DrivenRun,
  run: CountedRun | null,
  summary: Summary | null,
): FactDraft[] {
  if (run?.runId !== runId || run.end !== null) return []
  const paid = summary?.attempts.filter((usage) => Object.keys(usage).length > 0) ?? []
  const ref = { type: 'attempt-failed', step: run.steps + 1, attempt: 1 } as const
  return paid.map((usage) => ({ ...ref, usage, error: NOT_NEEDED }))
}

/** Chooses the policy, or asks the app. Null if nothing may be left out. */
async function chooseStrategy(
  context: ModelsContext,
  {
    policy = COMPACTION_DEFAULTS.policy,
    needed,
    ...occasion
  }: Occasion & {
    readonly policy: Policy['policy'] | 'custom' | undefined
    readonly needed: RoomNeeded
  },
): Promise<Strategy | null> {
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

function planWith(
  state: ConversationState,
  { room, budget, isShort }: RoomNeeded,
  strategy: Strategy,
): readonly PlannedCompaction[] {
  if (isShort && 'choice' in strategy) {
    const checked = checkChoice(state, strategy.choice, { fixed: room.fixed, total: budget })
    return 'facts' in checked ? checked.facts : []
  }
  const fact =
    isShort && 'policy' in strategy
      ? planCompaction(state, room, strategy)
      : planStale(state, room.total, strategy.superseding)
  return fact ? [fact] : []
}

interface CompactionInput {
  readonly strategy: Strategy
  readonly facts: readonly PlannedCompaction[]
  readonly needed: RoomNeeded
}

/** Whether to give up: the last compactions were useless, and this one needs a model call or doesn't free enough. */
function isFutile(
  { conversation: { state }, runId }: DrivenRun,
  { strategy, facts, needed, occasion }: CompactOptions & CompactionInput,
): boolean {
  if (!needed.isShort || occasion === 'refused' || facts.length === 0) return false
  const { room, budget, limit = budget } = needed
  const isEnough = tokensWith(state, room.fixed, facts) <= limit
  return (needsSummary(strategy, facts) || !isEnough) && isExhausted(state, runId)
}

/** Whether the model has to summarize the messages that the policy leaves out. */
function needsSummary(strategy: Strategy, facts: readonly PlannedCompaction[]): boolean {
  return 'policy' in strategy && strategy.policy !== 'drop-oldest' && facts.some(isCompacted)
}

async function summaryFor(
  context: ModelsContext,
  { strategy, facts, needed, ...options }: CompactOptions & CompactionInput,
): Promise<Summary | null> {
  const { run } = context.conversation
  // If the server refused the request as too long, a request for a summary would be even longer.
  if (!needsSummary(strategy, facts) || options.occasion === 'refused' || run === null) return null
  const maxTokens = needed.room.total * SUMMARY_SHARE
  return summarize(context, run, { ...options, maxTokens, limit: needed.limit })
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

/** Adds to each fact the size of the request before and after it. */
function withSizes(
  { conversation: { state }, memory }: ModelsContext,
  facts: readonly PlannedCompaction[],
  { options, needed }: { readonly options: CompactOptions; readonly needed: RoomNeeded },
): readonly PlannedCompaction[] {
  const factor = memory.tokenFactor(options.stepContext.model)
  const tokens = facts.map((_, index) =>
    Math.round(tokensWith(state, needed.room.fixed, facts.slice(0, index + 1)) * factor),
  )
  return facts.map((fact, index) => ({
    ...fact,
    tokensBefore: tokens[index - 1] ?? Math.round(needed.sent * factor),
    tokensAfter: tokens[index] ?? 0,
  }))
}
