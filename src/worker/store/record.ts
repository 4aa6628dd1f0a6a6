import { OffstageError } from '../../protocol/error.ts'
import {
  JOURNAL_VERSION,
  type ConversationRecord,
  type JournalBody,
  type JournalEntry,
  type NewEntry,
} from '../../protocol/journal.ts'
import type { Append } from './store.ts'

const TITLE_LENGTH = 60

export function newRecord(conversationId: string, at: number): ConversationRecord {
  return {
    conversationId,
    title: '',
    createdAt: at,
    updatedAt: at,
    lastSeq: 0,
    epoch: 0,
    openRunId: null,
  }
}

export function takenOver(): OffstageError {
  return new OffstageError(
    'ownership-lost',
    'Another tab or worker has taken over this conversation.',
  )
}

/** What an append makes of the record and its entries; throws `ownership-lost` for a fenced owner. */
export function applyAppend(
  record: ConversationRecord | undefined,
  append: Append,
): { record: ConversationRecord; entries: JournalEntry[] } {
  if (record === undefined) {
    throw new OffstageError('ownership-lost', 'The conversation was deleted while it was in use.', {
      details: { deleted: true },
    })
  }
  if (record.epoch !== append.epoch) throw takenOver()
  let next = record
  const entries: JournalEntry[] = []
  for (const entry of append.entries) {
    next = afterEntry(next, entry)
    entries.push({
      ...entry,
      v: JOURNAL_VERSION,
      conversationId: record.conversationId,
      seq: next.lastSeq,
    })
  }
  return { record: next, entries }
}

function afterEntry(record: ConversationRecord, entry: NewEntry): ConversationRecord {
  return {
    ...record,
    lastSeq: record.lastSeq + 1,
    updatedAt: Math.max(record.updatedAt, entry.at),
    title: record.title || titleOf(entry),
    openRunId: openRunAfter(record.openRunId, entry),
  }
}

function openRunAfter(open: string | null, entry: NewEntry): string | null {
  if (entry.type === 'run-started') return entry.runId
  if (entry.type === 'run-ended' && entry.runId === open) return null
  return open
}

/** The beginning of the first thing the person wrote. */
function titleOf(entry: JournalBody): string {
  if (entry.type !== 'run-started' || entry.message === null) return ''
  const text = entry.message.parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
  const points = Array.from(text.slice(0, TITLE_LENGTH * 2))
  return points.length > TITLE_LENGTH ? `${points.slice(0, TITLE_LENGTH - 1).join('')}…` : text
}
