import type { Live, LiveStep, Ownership } from '../protocol/delta.ts'
import type { ErrorData } from '../protocol/error.ts'
import type { UserContent } from '../protocol/fact.ts'
import type { RunOutcome } from '../protocol/run.ts'
import type {
  CallState,
  Consent,
  ConversationState,
  MessageNode,
  RunState,
} from '../protocol/state.ts'
import { shownCompactions } from './compactions.ts'
import { planOf } from './context.ts'
import { isUndoable, totalUsage } from './fold-call.ts'
import { refusedRun } from './live.ts'
import { isRunWaiting } from './nested.ts'
import { allPendingCalls, approvalDetails } from './pending.ts'
import type {
  ConversationSnapshot,
  ShownCall,
  ShownConsent,
  ShownMessage,
  ShownRun,
} from './snapshot.ts'
import { nextRequestTaint } from './taint.ts'
import { cached } from './cached.ts'
import { pick } from './state.ts'

/** A person's consents, oldest first. Cached: the same consents give the same list. */
const shownConsents = cached((consents: readonly Consent[]): readonly ShownConsent[] =>
  consents.map(({ consentId, at, scope }) => ({
    consentId,
    ...pick(scope, ['toolName', 'title', 'within', 'key']),
    at,
  })),
)

type Progress = Live['progress']

interface Cached<Value> {
  readonly progress: Progress
  readonly value: Value
}

const messageCache = new WeakMap<MessageNode, Cached<ShownMessage>>()
const pathCache = new WeakMap<readonly MessageNode[], Cached<readonly ShownMessage[]>>()

/** Messages of the path that people see, and the message that the model is writing. */
function shownMessages(
  { conversationId, path }: ConversationState,
  { progress, step, waits }: Live,
): readonly ShownMessage[] {
  const cached = pathCache.get(path)
  const toShown = (node: MessageNode): ShownMessage | readonly ShownMessage[] =>
    isForPeople(node) ? shownMessage(node, conversationId, progress) : []
  const storedMessages = cached?.progress === progress ? cached.value : path.flatMap(toShown)
  if (storedMessages !== cached?.value) pathCache.set(path, { progress, value: storedMessages })
  const message = waits?.message
  if (message) return [...storedMessages, { role: 'user', ...message }]
  return step ? [...storedMessages, openMessage(step, conversationId)] : storedMessages
}

/** Hides empty messages, and those that Offstage wrote for the model. */
function isForPeople({ message }: MessageNode): boolean {
  return message.parts.length > 0 && !(message.role === 'user' && message.synthetic)
}

/** Returns the same object while its node and the progress of its calls stay the same. */
function shownMessage(node: MessageNode, conversationId: string, progress: Progress): ShownMessage {
  const cached = messageCache.get(node)
  if (cached && hasSameProgress(node, cached.progress, progress)) return cached.value
  const { id, at, message, calls, sent, reflection, rejected } = node
  const value: ShownMessage = {
    ...message,
    id,
    at,
    ...(sent && Object.keys(sent).length > 0 && { sent }),
    ...(reflection && { reflection }),
    ...(rejected && { rejected }),
    ...(calls.length > 0 && {
      calls: calls.map((call) => ({ conversationId, ...shownCall(call, progress) })),
    }),
  }
  messageCache.set(node, { progress, value })
  return value
}

function hasSameProgress({ calls }: MessageNode, before: Progress, now: Progress): boolean {
  return before === now || calls.every((call) => progressOf(call, before) === progressOf(call, now))
}

/** Reads own properties only: a model may choose `constructor` as an id. */
function progressOf({ toolCallId }: CallState, progress: Progress): unknown {
  return Object.hasOwn(progress, toolCallId) ? progress[toolCallId] : undefined
}

function shownCall(call: CallState, progress: Progress): Omit<ShownCall, 'conversationId'> {
  const { toolCallId, toolName, title, status, input, output, error, question } = call
  const { startedAt, endedAt, path, child, undo, source, readOnly } = call
  const reported = status === 'executing' ? progressOf(call, progress) : undefined
  return {
    toolCallId,
    toolName,
    ...(title !== null && { title }),
    ...(source !== undefined && { source }),
    ...(readOnly && { readOnly }),
    status,
    ...(error ? { error } : { input }),
    ...approvalDetails(call),
    ...(output && { output }),
    ...(reported !== undefined && { progress: reported }),
    ...(question && { question }),
    ...(startedAt > 0 && { startedAt }),
    ...(endedAt > 0 && { endedAt }),
    ...(isUndoable(call) && { undoable: true }),
    ...(undo && { undo }),
    path,
    ...(child && { child }),
  }
}

function openMessage(
  { messageId, parts, inputs, isLeft }: LiveStep,
  conversationId: string,
): ShownMessage {
  return {
    role: 'assistant',
    id: messageId,
    parts: parts.map(({ type, text }) => ({ type, text })),
    ...(isLeft && { partial: true }),
    ...(inputs.length > 0 && {
      calls: inputs.map(({ toolCallId, toolName, title, text }) => ({
        conversationId,
        toolCallId,
        toolName,
        ...(title !== undefined && { title }),
        status: 'proposed',
        inputText: text,
        path: [toolCallId],
      })),
    }),
  }
}

const NO_BRANCHES: ConversationSnapshot['branches'] = {}

/**
 * Snapshot of a state and its live deltas. Pass `NOTHING_LIVE` for a conversation that only comes from stored rows.
 * `fault`: why rows can't be read. Default null.
 */
export function view(
  state: ConversationState,
  live: Live,
  fault: ErrorData | null = null,
): ConversationSnapshot {
  const { conversationId, title, older, queue, setAside } = state
  const open = openRun(state, live)
  const pending = allPendingCalls(state)
  const paused = live.waits?.reason ?? (open && open.paused)
  const runId = live.waits?.runId ?? open?.runId
  const ended = open || live.waits ? null : endOf(state, live)
  const refused = refusedRun(live)
  const unsent = refused?.message ?? joinMessages(state.returned)
  const error = fault ?? errorOf(ended) ?? errorOf(refused?.outcome)
  const plan = planOf(state)
  const compactions = shownCompactions(state)
  const isDriven = runId !== undefined && live.ownership !== 'none'
  return {
    conversationId,
    status: pending.length > 0 || paused ? 'waiting' : isDriven ? 'running' : 'idle',
    ...(title !== null && { title }),
    messages: shownMessages(state, live),
    older,
    pending,
    ...(runId !== undefined && { runId }),
    ...(open && { run: shownRun(open, live) }),
    ...spentUsage(state),
    ...(paused && { paused }),
    ...(ended && { ended }),
    ...(error && { error }),
    ownership: ownershipOf(state, live),
    branches: branchesOf(state),
    ...(plan && { plan }),
    queued: queue,
    ...(unsent && { unsent }),
    ...(compactions && { compactions }),
    ...(setAside && { setAside }),
    taint: nextRequestTaint(state),
    consents: shownConsents(state.consents),
  }
}

/** Joins messages into one. Null if there are none. */
function joinMessages([first, ...others]: readonly UserContent[]): UserContent | null {
  if (!first) return null
  return { id: first.id, parts: [first, ...others].flatMap(({ parts }) => parts) }
}

/** Usage of the newest run. Empty if the history was cleared since. */
function spentUsage({ run, path }: ConversationState): Pick<ConversationSnapshot, 'spent'> {
  if (!run || path.length === 0) return {}
  return { spent: { own: run.usage, total: totalUsage(run) ?? run.usage } }
}

/** Driver of the open run, even if the run has ended on this page. A waiting run has no driver. */
function ownershipOf({ run }: ConversationState, { ownership, waits }: Live): Ownership {
  if (waits) return ownership
  return run?.end === null && !isRunWaiting(run) ? ownership : 'none'
}

/** The open run. Null if the run has ended on this page. */
function openRun({ run }: ConversationState, { left }: Live): RunState | null {
  return run === null || run.end !== null || left?.runId === run.runId ? null : run
}

/** How the last run ended. Null if the history was cleared since. */
function endOf(
  { run, path }: ConversationState,
  { left }: Live,
): ConversationSnapshot['ended'] | null {
  if (left) return { ...left.outcome, runId: left.runId }
  return run?.end && path.length > 0 ? { ...run.end, runId: run.runId } : null
}

function errorOf(end: RunOutcome | null | undefined): ErrorData | null {
  return end?.outcome === 'failed' ? end.error : null
}

function shownRun(run: RunState, { step, retry }: Live): ShownRun {
  const { runId, steps, stepOpen, failedAttempts, usage, startedAt } = run
  const writing = step?.runId === runId && !step.isLeft ? step : null
  return {
    runId,
    step: writing?.step ?? (stepOpen ? steps + 1 : steps),
    attempt: writing?.attempt ?? failedAttempts + 1,
    ...(writing && { messageId: writing.messageId }),
    ...(retry && { retry }),
    usage,
    startedAt,
  }
}

const branchCache = new WeakMap<
  ConversationState['forks'],
  { readonly path: ConversationState['path']; readonly value: ConversationSnapshot['branches'] }
>()

function branchesOf({ forks, path }: ConversationState): ConversationSnapshot['branches'] {
  if (forks.length === 0) return NO_BRANCHES
  const cached = branchCache.get(forks)
  if (cached?.path === path) return cached.value
  const value = branchesOn(forks, path)
  branchCache.set(forks, { path, value })
  return value
}

function branchesOn(
  forks: ConversationState['forks'],
  path: ConversationState['path'],
): ConversationSnapshot['branches'] {
  const pathIds = new Set(path.map(({ id }) => id))
  return Object.fromEntries(
    forks.flatMap(({ children: ids }) => {
      const index = ids.findIndex((id) => pathIds.has(id))
      return ids.length > 1 && index >= 0 ? [[ids[index], { index, ids }]] : []
    }),
  )
}
