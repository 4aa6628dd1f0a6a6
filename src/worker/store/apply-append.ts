import { titleOf } from '../../conversation/title.ts'
import { OffstageError } from '../../protocol/error.ts'
import { randomId } from '../../lib/random-id.ts'
import { type FactOf, FORMAT, type NewRow, type Row, type FactType } from '../../protocol/fact.ts'
import { checkRow, refuseUnsound } from './check-row.ts'
import {
  brokenConversation,
  newRecord,
  ownerOf,
  type RecentAppend,
  refuseBroken,
  type RecordChange,
  refuseNewer,
  type StoredRecord,
  takenOverError,
} from './record.ts'
import type { Append, Placement, StepDraft, TitleChange } from './store.ts'
import { callParts } from '../../conversation/fold-call.ts'
import { INCOMPLETE_IMPORT } from '../../protocol/conversation.ts'

/**
 * Applies a part of an imported conversation, and returns the record and the rows. Null if another conversation has its
 * id. Throws `ownership-lost` if the earlier parts are gone. Pure.
 */
export function applyPlacement(
  found: StoredRecord | undefined,
  placement: Placement,
  epoch: number,
): { record: StoredRecord; rows: Row[] } | null {
  const { importId: appendId, conversationId, isLast } = placement
  const base = baseRecord(found, placement, epoch)
  if (base === null) return null
  const { broken: _unfinished, ...before } = base
  let record: StoredRecord = before
  const rows: Row[] = []
  for (const row of placement.rows) {
    refuseUnsound(row)
    record = afterRow(record, row)
    rows.push({ ...row, format: FORMAT, conversationId, seq: record.lastSeq, appendId })
  }
  // Overrides the times of the rows: a rename among them must not change `updatedAt`.
  record = { ...record, updatedAt: placement.updatedAt }
  return { record: isLast ? record : { ...record, broken: INCOMPLETE_IMPORT }, rows }
}

/** Whether a part was placed before, so that a repeat writes nothing. */
export function wasPlaced(
  found: StoredRecord | undefined,
  { importId, after }: Placement,
): found is StoredRecord {
  return found?.importId === importId && (after === 0 || found.lastSeq > after)
}

function baseRecord(
  found: StoredRecord | undefined,
  { conversationId, importId, createdAt, parent, after }: Placement,
  epoch: number,
): StoredRecord | null {
  const isIncomplete = found?.broken === INCOMPLETE_IMPORT
  if (after === 0) {
    if (found && !isIncomplete) return null
    return {
      ...newRecord(conversationId, createdAt),
      epoch,
      importId,
      ...(parent && { parent }),
    }
  }
  if (isIncomplete && found.importId === importId && found.lastSeq === after) return found
  throw new OffstageError('ownership-lost', 'The conversation was deleted while it was imported.', {
    details: { deleted: true },
  })
}

/** Maximum number of open calls in a record: each row that opens or settles a call copies the list. */
const MAX_OPEN_CALLS = 1000

/**
 * Calls without an outcome after this row. The record has them, so that a call's conversation is found without reading
 * rows. Throws `invalid-input` for more than 1000.
 */
function openCallsAfter(record: StoredRecord, row: NewRow): readonly string[] {
  const open = nextOpenCalls(record, row)
  if (open.length <= MAX_OPEN_CALLS) return open
  throw new OffstageError(
    'invalid-input',
    `A conversation can have at most ${MAX_OPEN_CALLS} unfinished calls.`,
  )
}

function nextOpenCalls(
  { openCalls: open, openRunId }: StoredRecord,
  row: NewRow,
): readonly string[] {
  switch (row.type) {
    case 'model-output':
      return row.runId === openRunId
        ? callParts(row.message).map(({ toolCallId }) => toolCallId)
        : open
    case 'call-proposed':
      return [...open, ...row.path.slice(-1)]
    case 'call-settled':
      return open.filter((toolCallId) => toolCallId !== row.path.at(-1))
    case 'run-ended':
      return row.runId !== openRunId || row.end.outcome === 'waiting' ? open : []
    case 'messages-imported':
      return afterImport(open, row)
    case 'run-started':
    case 'history-cleared':
      return []
    default:
      return open
  }
}

/**
 * Open calls after an import. Calls without a result wait for their outputs, except unreadable calls. Results settle
 * calls that were imported earlier.
 */
function afterImport(
  open: readonly string[],
  { messages }: FactOf<'messages-imported'>,
): readonly string[] {
  const after = new Set(open)
  for (const message of messages) {
    for (const { toolCallId, error } of callParts(message))
      if (error === undefined) after.add(toolCallId)
    if (message.role === 'tool')
      for (const { toolCallId } of message.parts) after.delete(toolCallId)
  }
  return [...after]
}

/**
 * Appends that a record remembers: more than an owner has under way at once. Older appends are rejected by their
 * `order`.
 */
const MAX_RECENT = 8

/**
 * Finds an append that was already committed. Null if it wasn't. Checked first, even if the owner was fenced off
 * meanwhile: the rows are stored, so a rejection would be wrong. Writes nothing.
 */
export function committedBefore(
  record: StoredRecord | undefined,
  { appendId }: Append,
): RecentAppend | null {
  return record?.recentAppends.find((recent) => recent.appendId === appendId) ?? null
}

/** Checks and returns the stored rows of an append that was already committed. */
export function rowsBefore(
  { conversationId }: Append,
  { first, count }: RecentAppend,
  stored: readonly unknown[],
): readonly Row[] {
  return Array.from({ length: count }, (_, index) => {
    const row = checkRow(stored[index], first + index)
    if ('fault' in row) throw brokenConversation(conversationId, row.fault)
    return row
  })
}

/** Applies an append, and returns the new record and the rows. Throws `ownership-lost` for a fenced owner. */
export function applyAppend(
  record: StoredRecord | undefined,
  append: Append,
): { record: StoredRecord; rows: Row[] } {
  if (record === undefined) {
    throw new OffstageError('ownership-lost', 'The conversation was deleted while it was in use.', {
      details: { deleted: true },
    })
  }
  // Checked before the format: if a newer version has taken over, it resumes the run, and this page gives the run up.
  if (record.epoch !== append.epoch) throw takenOverError()
  refuseNewer(record)
  refuseBroken(record)
  const { appendId, order } = append
  const owner = ownerOf(record)
  // A stalled server or a proxy may deliver a request after later requests of its sender.
  if (!(order > owner.order))
    throw new OffstageError('storage-failed', 'A later append was stored.', {
      retryable: true,
    })
  let next = record
  const rows: Row[] = []
  for (const row of append.rows) {
    refuseUnsound(row)
    next = afterRow(next, row)
    const { conversationId, lastSeq: seq } = next
    rows.push({ ...row, format: FORMAT, conversationId, seq, appendId })
  }
  const recent = { appendId, first: record.lastSeq + 1, count: rows.length }
  const recentAppends = [...record.recentAppends, recent].slice(-MAX_RECENT)
  return { record: { ...next, format: FORMAT, recentAppends, owner: { ...owner, order } }, rows }
}

/**
 * Applies a new title, and returns the record and its rows. The caller needn't own the conversation: the owner reads
 * this row before its own next row. A broken conversation gets no row. Null if the newest row isn't the expected row.
 */
export function applyRename(
  record: StoredRecord,
  { title, at, ifLastSeq }: TitleChange,
): RecordChange | null {
  if (ifLastSeq !== undefined && ifLastSeq !== record.lastSeq) return null
  refuseNewer(record)
  const { conversationId, updatedAt, broken } = record
  const row: NewRow = { type: 'renamed', runId: null, title, at }
  refuseUnsound(row)
  if (broken !== undefined) return { record: { ...record, title }, rows: [] }
  // Lists are ordered by activity, and a rename doesn't count as activity.
  const next: StoredRecord = { ...afterRow(record, row), updatedAt, format: FORMAT }
  const appendId = randomId()
  const placed: Row = { ...row, format: FORMAT, conversationId, seq: next.lastSeq, appendId }
  return { record: next, rows: [placed] }
}

function afterRow(record: StoredRecord, row: NewRow): StoredRecord {
  return {
    ...record,
    lastSeq: record.lastSeq + 1,
    updatedAt: Math.max(record.updatedAt, row.at),
    title: titleAfter(record.title, row),
    era: row.type === 'history-cleared' ? record.era + 1 : record.era,
    openRunId: openRunAfter(record.openRunId, row),
    openCalls: openCallsAfter(record, row),
  }
}

function titleAfter(title: string, row: NewRow): string {
  if (row.type === 'renamed') return row.title
  if (title !== '' || row.type !== 'run-started' || row.message === null) return title
  return titleOf(row.message.parts) ?? ''
}

function openRunAfter(open: string | null, row: NewRow): string | null {
  if (row.type === 'run-started') return row.runId
  if (row.type === 'run-ended' && row.runId === open) return null
  return open
}

/** Facts that end a step, or withdraw its shown text. */
const STEP_ENDS: ReadonlySet<FactType> = new Set([
  'model-output',
  'step-cut',
  'attempt-failed',
  'run-started',
  'run-ended',
  'history-cleared',
])

/** Whether an append of these rows removes the conversation's draft. */
export function endsDraft(rows: readonly NewRow[]): boolean {
  return rows.some(({ type }) => STEP_ENDS.has(type))
}

/** Whether the draft's writer still drives the open run. Another owner may have taken over while it was frozen. */
export function isCurrent({ epoch, runId }: StepDraft, record: StoredRecord): boolean {
  return record.epoch === epoch && record.openRunId === runId
}
