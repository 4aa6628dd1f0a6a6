import { titleOf } from '../../conversation/title.ts'
import { OffstageError } from '../../protocol/error.ts'
import { randomId } from '../../lib/random-id.ts'
import { FORMAT, type NewRow, type Row } from '../../protocol/fact.ts'
import { checkRow, refuseUnsound } from './check-row.ts'
import { openCallsAfter } from './open-calls.ts'
import {
  brokenConversation,
  ownerOf,
  refuseBroken,
  refuseNewer,
  takenOver,
  type RecentAppend,
  type StoredRecord,
} from './record.ts'
import type { Append } from './store.ts'

/**
 * Appends that a record remembers: more than one owner has under way at once. Older ones are rejected by their `order`.
 */
const REMEMBERED = 8

/**
 * Finds the rows of an append that was committed before. Null if it wasn't. Checked first, even for an owner that has
 * been fenced off since: its rows are stored, so a rejection would be wrong. Writes nothing.
 */
export function committedBefore(
  record: StoredRecord | undefined,
  { appendId }: Append,
): RecentAppend | null {
  return record?.recentAppends.find((recent) => recent.appendId === appendId) ?? null
}

/** The rows of an append that was committed before, from what is stored at its place. */
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
  // Checked before the format: a newer page that has taken over resumes the run, and this one leaves it.
  if (record.epoch !== append.epoch) throw takenOver()
  refuseNewer(record)
  refuseBroken(record)
  const { appendId, order } = append
  const owner = ownerOf(record)
  // A stalled server or a proxy may deliver a request after its sender's later ones.
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
  const recentAppends = [...record.recentAppends, recent].slice(-REMEMBERED)
  return { record: { ...next, format: FORMAT, recentAppends, owner: { ...owner, order } }, rows }
}

/**
 * Applies a new title, and returns the record and its rows. The caller needn't own the conversation: its owner finds
 * the row before its own next one. A broken conversation gets no row.
 */
export function applyRename(
  record: StoredRecord,
  { title, at }: { readonly title: string; readonly at: number },
): { record: StoredRecord; rows: Row[] } {
  refuseNewer(record)
  const { conversationId, updatedAt, broken } = record
  const row: NewRow = { type: 'renamed', runId: null, title, at }
  refuseUnsound(row)
  if (broken !== undefined) return { record: { ...record, title }, rows: [] }
  // Lists are ordered by activity, and a rename is none.
  const next: StoredRecord = { ...afterRow(record, row), updatedAt, format: FORMAT }
  const appendId = randomId()
  const placed: Row = { ...row, format: FORMAT, conversationId, seq: next.lastSeq, appendId }
  return { record: next, rows: [placed] }
}

export function afterRow(record: StoredRecord, row: NewRow): StoredRecord {
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
