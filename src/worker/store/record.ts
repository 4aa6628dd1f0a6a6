import { OffstageError } from '../../protocol/error.ts'
import {
  JOURNAL_VERSION,
  type ConversationRecord,
  type JournalBody,
  type JournalEntry,
  type NewEntry,
} from '../../protocol/journal.ts'
import { isSoundEntry } from './check-entry.ts'
import { isNumber, isRecord, isText, listOf, nullOr, optional, shape } from './shape.ts'
import { pendingToolCalls } from '../../providers/pending-tool-calls.ts'
import type { Append } from './store.ts'

const TITLE_LENGTH = 60

function newRecord(conversationId: string, at: number): ConversationRecord {
  return {
    conversationId,
    title: '',
    createdAt: at,
    updatedAt: at,
    lastSeq: 0,
    epoch: 0,
    openRunId: null,
    openCalls: [],
  }
}

const isSound = shape({
  conversationId: isText,
  title: isText,
  createdAt: isNumber,
  updatedAt: isNumber,
  lastSeq: isNumber,
  epoch: isNumber,
  openRunId: nullOr(isText),
  openCalls: listOf(isText),
  broken: optional(isText),
})

/** A stored record; one that isn't whole is named as broken, with what of it can be shown. */
export function readRecord(conversationId: string, row: unknown): ConversationRecord {
  if (isSound(row)) return row as ConversationRecord
  const { title, updatedAt } = isRecord(row) ? row : {}
  return {
    ...newRecord(conversationId, typeof updatedAt === 'number' ? updatedAt : 0),
    ...(typeof title === 'string' && { title }),
    broken: "The conversation's record can't be read.",
  }
}

/** Of a journal whose record is gone. */
export function lostRecord(conversationId: string): ConversationRecord {
  return { ...newRecord(conversationId, 0), broken: "The conversation's record is missing." }
}

export function brokenConversation(conversationId: string, fault: string): OffstageError {
  return new OffstageError(
    'conversation-broken',
    `Conversation ${conversationId} is damaged. ${fault} It can be read up to there and deleted; all others work.`,
    { details: { conversationId, fault } },
  )
}

export function claimRecord(record: ConversationRecord, epoch: number): ConversationRecord {
  refuseBroken(record)
  return { ...record, epoch }
}

export function takenOver(): OffstageError {
  return new OffstageError(
    'ownership-lost',
    'Another tab or worker has taken over this conversation.',
  )
}

/** What a claim finds where no record is. */
export function unclaimed(
  conversationId: string,
  at: number,
  { create = true }: { readonly create?: boolean } = {},
): ConversationRecord {
  if (create) return newRecord(conversationId, at)
  throw new OffstageError('conversation-not-found', `Conversation ${conversationId} is gone.`)
}

export function markRecord(record: ConversationRecord, broken: string | null): ConversationRecord {
  const { broken: _broken, ...rest } = record
  return broken === null ? rest : { ...rest, broken }
}

function unreadable({ type }: NewEntry): OffstageError {
  return new OffstageError(
    'invalid-input',
    `What was given for a ${type} entry of the journal has not the shape that it must have, so nothing of it was stored.`,
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
  refuseBroken(record)
  let next = record
  const entries: JournalEntry[] = []
  for (const entry of append.entries) {
    // What could not be read again would break the conversation for good.
    if (!isSoundEntry(entry)) throw unreadable(entry)
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

function refuseBroken({ conversationId, broken }: ConversationRecord): void {
  if (broken !== undefined) throw brokenConversation(conversationId, broken)
}

function afterEntry(record: ConversationRecord, entry: NewEntry): ConversationRecord {
  return {
    ...record,
    lastSeq: record.lastSeq + 1,
    updatedAt: Math.max(record.updatedAt, entry.at),
    title: record.title || titleOf(entry),
    openRunId: openRunAfter(record.openRunId, entry),
    openCalls: openCallsAfter(record.openCalls, entry),
  }
}

function openRunAfter(open: string | null, entry: NewEntry): string | null {
  if (entry.type === 'run-started') return entry.runId
  if (entry.type === 'run-ended' && entry.runId === open) return null
  return open
}

/** By these a call is found without reading any journal. */
function openCallsAfter(open: readonly string[], entry: NewEntry): readonly string[] {
  switch (entry.type) {
    case 'model-output':
      return entry.calls.map((call) => call.toolCallId)
    case 'call-settled':
      return open.filter((toolCallId) => toolCallId !== entry.toolCallId)
    case 'run-ended':
      return entry.end.outcome === 'waiting' ? open : []
    case 'messages-imported':
      return [...open, ...pendingToolCalls(entry.messages).map((call) => call.toolCallId)]
    case 'run-started':
    case 'history-cleared':
      return []
    default:
      return open
  }
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
