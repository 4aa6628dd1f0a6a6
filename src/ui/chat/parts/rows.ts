import type { ConversationSnapshot, PendingCall, ShownCall, ShownMessage } from '../../../index.ts'
import { isSameCall } from './call-ref.ts'
import { stateOf } from './shown-call.ts'
import type { Failure } from './failures.ts'

/** A row of a log. `key` is unique, and doesn't change when the row does. */
export type ChatRow =
  | { readonly type: 'day'; readonly key: string; readonly at: number }
  | { readonly type: 'message'; readonly key: string; readonly message: ShownMessage }
  | { readonly type: 'call'; readonly key: string; readonly call: ShownCall }
  /** Three or more finished calls one after the other, of one tool or of read-only tools. */
  | { readonly type: 'calls'; readonly key: string; readonly calls: readonly ShownCall[] }
  /** All calls that wait for an approval, if there are several, at the place of the first one. */
  | { readonly type: 'approvals'; readonly key: string; readonly calls: readonly PendingCall[] }
  /** Failure of a run, after the message that was the last one when it failed. */
  | { readonly type: 'failure'; readonly key: string; readonly failure: Failure }
  | { readonly type: 'compaction'; readonly key: string }

export interface RowOptions {
  /** Whether a tool's calls each get a row of their own, such as calls that a host draws. Default: none. */
  readonly alone?: (toolName: string) => boolean
  /** Failed runs, by the message that was the last one when they failed. Default: none. */
  readonly failures?: ReadonlyMap<string, Failure>
}

/** Returns the rows of a snapshot: days, messages, calls after their message, failures and compactions. */
export function rowsOf(
  snapshot: ConversationSnapshot,
  { alone = () => false, failures }: RowOptions = {},
): readonly ChatRow[] {
  const { messages, compactions = [] } = snapshot
  const shared = sharedApprovalCalls(snapshot, alone)
  const approvals = { type: 'approvals', key: 'approvals', calls: shared } as const
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
      if (!shared.some((each) => isSameCall(each, call)))
        rows.push({ type: 'call', key: `call:${call.toolCallId}`, call })
      else if (!rows.includes(approvals)) rows.push(approvals)
    }
    const failure = failures?.get(message.id)
    if (failure) rows.push({ type: 'failure', key: `failure:${message.id}`, failure })
    if (compactedBefore.has(message.id)) rows.push({ type: 'compaction', key: `cut:${message.id}` })
  }
  // If only calls of child agents wait, no message above has the card, so it goes to the end.
  if (shared.length > 0 && !rows.includes(approvals)) rows.push(approvals)
  return foldCalls(rows, alone)
}

interface Day {
  readonly begin: number
  readonly end: number
}

function dayOf(at: number): Day {
  const date = new Date(at)
  return { begin: date.setHours(0, 0, 0, 0), end: date.setDate(date.getDate() + 1) }
}

/** Returns the calls that share one approval card. Empty for a single waiting call, which has its own card. */
export function sharedApprovalCalls(
  { pending }: Pick<ConversationSnapshot, 'pending'>,
  alone: (toolName: string) => boolean = () => false,
): readonly PendingCall[] {
  const shared = pending.filter(({ kind, toolName }) => kind === 'approval' && !alone(toolName))
  return shared.length > 1 ? shared : []
}

/** Whether a message has other parts than calls. Calls get rows of their own. */
function hasText(message: ShownMessage): boolean {
  return 'losses' in message || message.parts.some(({ type }) => type !== 'tool-call')
}

const MIN_FOLDED = 3

function foldCalls(rows: readonly ChatRow[], alone: (toolName: string) => boolean): ChatRow[] {
  const result: ChatRow[] = []
  let group: ShownCall[] = []
  const flush = (): void => {
    const [first] = group
    if (first && group.length >= MIN_FOLDED)
      result.push({ type: 'calls', key: `calls:${first.toolCallId}`, calls: group })
    else
      for (const call of group) result.push({ type: 'call', key: `call:${call.toolCallId}`, call })
    group = []
  }
  for (const row of rows) {
    const call = row.type === 'call' && isSettled(row.call) ? row.call : null
    if (!call || alone(call.toolName)) {
      flush()
      result.push(row)
      continue
    }
    if (!continuesGroup(group, call)) flush()
    group.push(call)
  }
  flush()
  return result
}

/** Whether a call belongs to the group: all calls of one tool, or all read-only. */
function continuesGroup(group: readonly ShownCall[], call: ShownCall): boolean {
  return (
    group.every(({ toolName }) => toolName === call.toolName) ||
    (call.readOnly === true && group.every(({ readOnly }) => readOnly))
  )
}

/** Whether a call is done and may be folded: no undo, no child agent, no parent call. */
function isSettled(call: ShownCall): boolean {
  return (
    stateOf(call).kind === 'done' &&
    !call.undoable &&
    !call.undo &&
    !call.child &&
    call.path.length === 1
  )
}

/** Number of rows drawn at first: they fill a screen. */
const FIRST = 14
/** Number of rows drawn even if nobody scrolls to them. */
const LEAST = 50
/** Maximum number of drawn rows. Beyond it, rows at the other end are removed. */
const MOST = 120

/** The rows of a long conversation that are drawn. */
export interface ShownRows {
  readonly rows: readonly ChatRow[]
  /** Numbers of rows before and after the drawn ones. */
  readonly earlier: number
  readonly later: number
  /** Rows after the drawn ones that wait for the person. They are always shown. */
  readonly waiting: readonly ChatRow[]
}

/**
 * Decides which rows are drawn: the newest ones, until a person asks for others. Identifies rows by key, because their
 * positions change.
 */
export class RowWindow {
  #rows: readonly ChatRow[] = []
  /** Key of the first drawn row; null: the newest rows are drawn. */
  #from: string | null = null
  /** Key of the last drawn row; null: the newest. */
  #to: string | null = null
  /** Number of rows in the last drawing. */
  #drawn = FIRST

  /** Starts again with the newest rows. */
  reset(): void {
    this.#from = null
    this.#to = null
    this.#drawn = FIRST
  }

  /** @param showsNewest Whether the newest row is in view, so that rows far above it can be removed. */
  cut(rows: readonly ChatRow[], showsNewest: boolean): ShownRows {
    this.#rows = rows
    if (this.#from === null || this.#indexOf(this.#from) < 0) {
      // The first row is gone: it was a day, whose key changes when older messages of the day are loaded. Draws as many
      // rows as before, up to the same last row.
      const last = this.#indexOf(this.#to)
      if (last < 0 && this.#to !== null) this.reset()
      this.#from = keyAt(rows, Math.max(0, (last + 1 || rows.length) - this.#drawn))
    }
    if (this.#to === null && showsNewest && this.#span.count > MOST)
      this.#from = keyAt(rows, rows.length - LEAST)
    // Limits the rows when a long branch replaces a short one.
    if (this.#to === null && this.#span.count > this.#drawn + MOST)
      this.#to = keyAt(rows, this.#span.start + MOST - 1)
    const { start, end, count } = this.#span
    this.#drawn = Math.max(FIRST, count)
    const after = rows.slice(end)
    return {
      rows: rows.slice(start, end),
      earlier: start,
      later: after.length,
      waiting: after.filter(isWaiting),
    }
  }

  /** Whether more rows should be drawn without any scrolling. */
  get isShort(): boolean {
    const { start, count } = this.#span
    return start > 0 && count < LEAST
  }

  /** @param canDrop Whether this number of rows at the other end is far enough from the view to be removed. */
  showEarlier(more: number, canDrop: (count: number) => boolean): void {
    const { start, end, count } = this.#span
    this.#from = keyAt(this.#rows, Math.max(0, start - more))
    if (count > MOST && canDrop(more)) this.#to = keyAt(this.#rows, end - more - 1)
  }

  showLater(more: number, canDrop: (count: number) => boolean): void {
    const { start, end, count } = this.#span
    this.#to = end + more >= this.#rows.length ? null : keyAt(this.#rows, end + more - 1)
    if (count > MOST && canDrop(more)) this.#from = keyAt(this.#rows, start + more)
  }

  get #span(): { readonly start: number; readonly end: number; readonly count: number } {
    const start = Math.max(0, this.#indexOf(this.#from))
    const last = this.#to === null ? -1 : this.#indexOf(this.#to)
    const end = last < start ? this.#rows.length : last + 1
    return { start, end, count: end - start }
  }

  #indexOf(sought: string | null): number {
    return this.#rows.findLastIndex(({ key }) => key === sought)
  }
}

function keyAt(rows: readonly ChatRow[], at: number): string | null {
  return rows[at]?.key ?? null
}

function isWaiting(row: ChatRow): boolean {
  return row.type === 'approvals' || (row.type === 'call' && stateOf(row.call).kind === 'waiting')
}
