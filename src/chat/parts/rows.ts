import type { ConversationSnapshot, PendingCall, ShownCall, ShownMessage } from '../../index.ts'
import { stateOf } from './call-state.ts'
import type { Failure } from './failures.ts'

/** What a log shows, from top to bottom. `key` is unique and stays the same as the row changes. */
export type ChatRow =
  | { readonly type: 'day'; readonly key: string; readonly at: number }
  | { readonly type: 'message'; readonly key: string; readonly message: ShownMessage }
  | { readonly type: 'call'; readonly key: string; readonly call: ShownCall }
  /** Calls of one tool, or of tools that change nothing, one behind the other, that are done. At least three. */
  | { readonly type: 'calls'; readonly key: string; readonly calls: readonly ShownCall[] }
  /** All calls that wait for an approval, where those are several: in place of the first one. */
  | { readonly type: 'approvals'; readonly key: string; readonly calls: readonly PendingCall[] }
  /** Why a run failed, behind the message that was the last one then. */
  | { readonly type: 'failure'; readonly key: string; readonly failure: Failure }
  | { readonly type: 'compaction'; readonly key: string }

export interface RowOptions {
  /** Tools whose calls have a row of their own each, as those that a host draws. Default: none. */
  readonly alone?: (toolName: string) => boolean
  /** Runs that failed, by the message that was the last one then. Default: none. */
  readonly failures?: ReadonlyMap<string, Failure>
}

/** The rows of a snapshot: days, messages, each call behind its message, and where it was compacted. */
export function rowsOf(
  snapshot: ConversationSnapshot,
  { alone = () => false, failures }: RowOptions = {},
): readonly ChatRow[] {
  const { messages, compactions = [] } = snapshot
  const asked = askedTogether(snapshot, alone)
  const isAsked = ({ conversationId, toolCallId }: ShownCall): boolean =>
    asked.some(
      (call) =>
        call.toolCallId === toolCallId &&
        (call.conversationId ?? snapshot.conversationId) === conversationId,
    )
  const approvals = { type: 'approvals', key: 'approvals', calls: asked } as const
  const rows: ChatRow[] = []
  let day: Day | null = null
  const compactedBefore = new Set(compactions.map((compaction) => compaction.after))
  for (const message of messages) {
    if (message.role === 'tool' || message.role === 'system') continue
    if (message.at !== undefined) {
      if (!day || message.at < day.begin || message.at >= day.end) {
        rows.push({ type: 'day', key: `day:${message.id}`, at: message.at })
        day = dayOf(message.at)
      }
    }
    if (hasText(message)) rows.push({ type: 'message', key: message.id, message })
    for (const call of message.calls ?? []) {
      if (!isAsked(call)) rows.push({ type: 'call', key: `call:${call.toolCallId}`, call })
      else if (!rows.includes(approvals)) rows.push(approvals)
    }
    const failure = failures?.get(message.id)
    if (failure) rows.push({ type: 'failure', key: `failure:${message.id}`, failure })
    if (compactedBefore.has(message.id)) rows.push({ type: 'compaction', key: `cut:${message.id}` })
  }
  // Of agents that its calls asked, all of them.
  if (asked.length > 0 && !rows.includes(approvals)) rows.push(approvals)
  return joined(rows, alone)
}

interface Day {
  readonly begin: number
  readonly end: number
}

function dayOf(at: number): Day {
  const date = new Date(at)
  return { begin: date.setHours(0, 0, 0, 0), end: date.setDate(date.getDate() + 1) }
}

/** The calls that one card asks about: none where only one waits, which has a card of its own. */
export function askedTogether(
  { pending }: Pick<ConversationSnapshot, 'pending'>,
  alone: (toolName: string) => boolean = () => false,
): readonly PendingCall[] {
  const asked = pending.filter(({ kind, toolName }) => kind === 'approval' && !alone(toolName))
  return asked.length > 1 ? asked : []
}

/** Whether there is more to a message than its calls, which have rows of their own. */
function hasText(message: ShownMessage): boolean {
  return 'losses' in message || message.parts.some(({ type }) => type !== 'tool-call')
}

const LEAST_JOINED = 3

function joined(rows: readonly ChatRow[], alone: (toolName: string) => boolean): ChatRow[] {
  const result: ChatRow[] = []
  let run: ShownCall[] = []
  const flush = (): void => {
    const [first] = run
    if (first && run.length >= LEAST_JOINED)
      result.push({ type: 'calls', key: `calls:${first.toolCallId}`, calls: run })
    else for (const call of run) result.push({ type: 'call', key: `call:${call.toolCallId}`, call })
    run = []
  }
  for (const row of rows) {
    const call = row.type === 'call' && isSettled(row.call) ? row.call : null
    if (!call || alone(call.toolName)) {
      flush()
      result.push(row)
      continue
    }
    if (!goesOn(run, call)) flush()
    run.push(call)
  }
  flush()
  return result
}

/** Whether a call is one more of a run: of the same tool as all of it, or one that changes nothing as they do. */
function goesOn(run: readonly ShownCall[], call: ShownCall): boolean {
  return (
    run.every(({ toolName }) => toolName === call.toolName) ||
    (call.readOnly === true && run.every(({ readOnly }) => readOnly))
  )
}

/** Done, with nothing left to look at: no undo, no agent of its own, nothing around it. */
function isSettled(call: ShownCall): boolean {
  return (
    stateOf(call).kind === 'done' &&
    !call.undoable &&
    !call.undo &&
    !call.child &&
    call.path.length === 1
  )
}
