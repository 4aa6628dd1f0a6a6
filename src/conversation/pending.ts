import { pick } from './state.ts'
import type { CallEnd } from '../protocol/composite.ts'
import type { CallAbout, PendingCall } from '../protocol/run.ts'
import type { SettledStatus, ToolCallStatus } from '../protocol/tool.ts'
import type { CallState, ConversationState, MessageNode, RunState } from '../protocol/state.ts'
import type { ApprovalReason } from '../protocol/taint.ts'

/**
 * Kind of input that a call waits for, by status. `open`: none, the call continues by itself. `settled`: the call has
 * ended.
 */
const WAITS_FOR = {
  proposed: 'open',
  approved: 'open',
  executing: 'open',
  suspended: 'settlement',
  'awaiting-approval': 'approval',
  'awaiting-answer': 'answer',
  'awaiting-output': 'output',
  'awaiting-decision': 'decision',
  invalid: 'settled',
  denied: 'settled',
  succeeded: 'settled',
  failed: 'settled',
  aborted: 'settled',
  interrupted: 'settled',
} as const satisfies Record<ToolCallStatus, PendingCall['kind'] | 'open' | 'settled'>

export function isSettled({ status }: CallState): boolean {
  return WAITS_FOR[status] === 'settled'
}

/** Status and output of a settled call. Null while it is open. */
export function endOf({ status, output }: CallState): CallEnd | null {
  return isSettledStatus(status) && output ? { status, output } : null
}

export function isSettledStatus(status: ToolCallStatus): status is SettledStatus {
  return WAITS_FOR[status] === 'settled'
}

export function isPaused(run: RunState | null): boolean {
  return run !== null && run.end === null && run.paused !== null
}

/** Calls of a run that wait for a person or the page, in order. */
export function pendingCalls(run: RunState): PendingCall[] {
  return run.calls.flatMap((call) => pendingCall(call) ?? [])
}

/** Calls of imported messages that wait for an output, oldest first. */
export function importedCalls({ path }: ConversationState): PendingCall[] {
  return path.flatMap((node) => (node.kind === 'imported' ? pendingAt(null, node) : []))
}

/**
 * Calls of the newest run and of imported messages that wait for a person or the page, in path order. Calls on other
 * branches aren't listed, but keep waiting.
 */
export function allPendingCalls({ path, run }: ConversationState): readonly PendingCall[] {
  const pending = path.flatMap((node) => pendingAt(run, node))
  return pending.length > 0 ? pending : NOTHING_PENDING
}

/** Pending calls of one message. */
export function pendingAt(
  run: RunState | null,
  { kind, runId, calls }: MessageNode,
): readonly PendingCall[] {
  const mayBePending = kind === 'imported' || (run !== null && runId === run.runId)
  return mayBePending && calls.length > 0
    ? calls.flatMap((call) => pendingCall(call) ?? [])
    : NOTHING_PENDING
}

const NOTHING_PENDING: readonly PendingCall[] = []

function pendingCall(call: CallState): PendingCall | null {
  const kind = WAITS_FOR[call.status]
  if (kind === 'open' || kind === 'settled') return null
  const { toolCallId, toolName, title, source, input, question, asks, suspended, path } = call
  // A suspended composite call isn't listed: its nested calls are.
  if (suspended && 'seen' in suspended) return null
  // A call with a child run isn't listed: the child run's pending calls are.
  if (suspended && call.child) return null
  return {
    toolCallId,
    toolName,
    ...(title && { title }),
    ...(source !== undefined && { source }),
    input,
    ...(kind === 'approval' && { ...approvalDetails(call), ...shownRememberable(call) }),
    kind,
    ...(question && { question }),
    ...(asks && { asks }),
    ...(suspended && {
      resumeToken: suspended.token,
      ...(suspended.until !== undefined && { until: suspended.until }),
    }),
    ...(path.length > 1 && { path }),
  }
}

interface ShownApproval {
  readonly about?: CallAbout
  readonly because?: ApprovalReason
}

/** Subject and reason of an approval request, as a page shows them. */
export function approvalDetails({ about, because }: CallState): ShownApproval {
  if (!about && !because) return {}
  return { ...(about && { about: shownAbout(about) }), ...(because && { because }) }
}

function shownAbout({ text, data, onPage }: CallAbout): CallAbout {
  return { text, ...(data !== undefined && { data }), ...(onPage && { onPage }) }
}

/** Consent that a person may give to later calls, as a page shows it. */
export function shownRememberable({ rememberable }: CallState): Pick<PendingCall, 'rememberable'> {
  return rememberable ? { rememberable: pick(rememberable, ['key']) } : {}
}
