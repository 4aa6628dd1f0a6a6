import type { Ownership } from '../protocol/delta.ts'
import type { ErrorData } from '../protocol/error.ts'
import type { CallPath, PlanItem, UserContent } from '../protocol/fact.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { CallError, Message, RunUsage, ToolOutput } from '../protocol/message.ts'
import type { ParkReason, PendingCall, RunOutcome } from '../protocol/run.ts'
import type { ToolCallStatus } from '../protocol/tool.ts'
import { planOf, taintOf } from './context.ts'
import type { Live, RetryNotice } from '../protocol/live.ts'
import { importedCalls, pendingCalls } from './pending.ts'
import { shownMessages } from './shown-messages.ts'
import type { ConversationState, Question, RunState } from '../protocol/state.ts'

/** A call as a page shows it. */
export interface ShownCall {
  readonly toolCallId: string
  readonly toolName: string
  /** What the tool is called for people. */
  readonly title?: string
  readonly status: ToolCallStatus
  /** Absent while the model is writing it, and when it could not be read. */
  readonly input?: JsonValue
  /** What the model has written of the input so far. Only while it is writing. */
  readonly inputText?: string
  readonly output?: ToolOutput
  /** What the tool reported last. Only while it executes. */
  readonly progress?: unknown
  /** Why the call can't run. */
  readonly error?: CallError
  readonly question?: Question
  /** Milliseconds since 1970. */
  readonly startedAt?: number
  readonly endedAt?: number
  /** The calls that it is nested in, from the outermost inwards, and itself. */
  readonly path: CallPath
}

/** A message as a page shows it. The calls of an assistant's message are in its `parts` and, as they stand, in `calls`. */
export type ShownMessage = Message & { readonly id: string; readonly calls?: readonly ShownCall[] }

/** The open run. */
export interface ShownRun {
  readonly runId: string
  /** The step under way, from 1. */
  readonly step: number
  /** Of the step, from 1. */
  readonly attempt: number
  /** The message that the model is writing, while it does. */
  readonly messageId?: string
  /** The model is asked again after a failure. */
  readonly retry?: RetryNotice
  readonly usage: RunUsage
  /** Milliseconds since 1970. */
  readonly startedAt: number
}

/** Where a message has siblings: "2 of 3" is `index` 1 of 3 `ids`. */
export interface ShownBranch {
  readonly index: number
  readonly ids: readonly string[]
}

/** A conversation as a page shows it. Immutable; what didn't change keeps its identity. */
export interface ConversationSnapshot {
  readonly conversationId: string
  readonly status: 'loading' | 'idle' | 'running' | 'waiting'
  readonly title?: string
  /** Without those that Offstage wrote for the model. */
  readonly messages: readonly ShownMessage[]
  /** How many come before these, and are on their way. */
  readonly older: number
  readonly pending: readonly PendingCall[]
  /** Of the open run. */
  readonly runId?: string
  readonly run?: ShownRun
  /** Why the open run rests until there is room in the storage, or `continue()` lets it go on. */
  readonly parked?: ParkReason
  /** How the last run ended, while none is open. */
  readonly ended?: RunOutcome & { readonly runId: string }
  /** Why the last run failed, or why the stored messages can't be read. */
  readonly error?: ErrorData
  /** Who drives the open run. */
  readonly ownership: Ownership
  /** By message, for those that have siblings. */
  readonly branches: { readonly [messageId: string]: ShownBranch }
  /** The model's plan. */
  readonly plan?: readonly PlanItem[]
  /** Written by the person, and not yet part of the conversation. */
  readonly queued: readonly UserContent[]
  /** Whose texts the model has read: origins that the app doesn't vouch for. */
  readonly taint: readonly string[]
}

const NO_BRANCHES: ConversationSnapshot['branches'] = {}

/** What a page shows of a state and of what is live. `fault`: why rows can't be read. */
export function view(
  state: ConversationState,
  live: Live,
  fault: ErrorData | null = null,
): ConversationSnapshot {
  const { conversationId, title, older, queue } = state
  const open = openRun(state, live)
  const pending = [...importedCalls(state), ...(state.run ? pendingCalls(state.run) : [])]
  const parked = live.waits?.reason ?? (open && open.parked)
  const runId = live.waits?.runId ?? open?.runId
  const ended = open || live.waits ? null : endOf(state, live)
  const error = fault ?? (ended?.outcome === 'failed' ? ended.error : null)
  const plan = planOf(state)
  const isDriven = runId !== undefined && live.ownership !== 'none'
  return {
    conversationId,
    status: pending.length > 0 || parked ? 'waiting' : isDriven ? 'running' : 'idle',
    ...(title !== null && { title }),
    messages: shownMessages(state, live),
    older,
    pending,
    ...(runId !== undefined && { runId }),
    ...(open && { run: shownRun(open, live) }),
    ...(parked && { parked }),
    ...(ended && { ended }),
    ...(error && { error }),
    ownership: live.ownership,
    branches: branchesOf(state),
    ...(plan && { plan }),
    queued: queue,
    taint: taintOf(state),
  }
}

/** The run that is open, and not left by whoever drove it here. */
function openRun({ run }: ConversationState, { left }: Live): RunState | null {
  return run === null || run.end !== null || left?.runId === run.runId ? null : run
}

function endOf({ run }: ConversationState, { left }: Live): ConversationSnapshot['ended'] | null {
  if (left) return { ...left.outcome, runId: left.runId }
  return run?.end ? { ...run.end, runId: run.runId } : null
}

function shownRun(run: RunState, { step, retry }: Live): ShownRun {
  const { runId, steps, stepOpen, failedAttempts, usage, startedAt } = run
  const writing = step?.runId === runId ? step : null
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

function branchesOf({ forks, path }: ConversationState): ConversationSnapshot['branches'] {
  if (forks.length === 0) return NO_BRANCHES
  const shown = new Set(path.map(({ id }) => id))
  const branches: { [messageId: string]: ShownBranch } = {}
  for (const { children: ids } of forks) {
    const index = ids.findIndex((id) => shown.has(id))
    const id = ids[index]
    if (id !== undefined && ids.length > 1) branches[id] = { index, ids }
  }
  return branches
}
