import type { ConversationRecord } from '../../protocol/conversation.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { ClaimOptions } from './store.ts'
import { FORMAT, type Row } from '../../protocol/fact.ts'
import { isNumber, isRecord, isText, listOf, nullOr, optional, shape } from '../../lib/shape.ts'

/** A row as it is stored, in any format. */
type StoredRow = Readonly<Record<string, unknown>>

/**
 * Functions that convert a row to the next format, by the format they read. Pure. Rows are converted when
 * they are read, and never rewritten.
 */
export type Upcasters = Readonly<Record<number, (row: StoredRow) => StoredRow>>

/** Empty, because no older format was released. */
export const UPCASTERS: Upcasters = {}

/** Whether the format is newer than the one this version of the package writes. */
export function isNewerFormat(format: unknown): format is number {
  return isNumber(format) && Number(format) > FORMAT
}

/** Converts the row to the current format step by step; null if a step is missing or fails on a damaged row. */
export function upcast(row: StoredRow, upcasters: Upcasters): StoredRow | null {
  let current = row
  while (current['format'] !== FORMAT) {
    const { format } = current
    if (typeof format !== 'number') return null
    const step = upcasters[format]
    if (step === undefined) return null
    try {
      current = { ...step(current), format: format + 1 }
    } catch {
      return null
    }
  }
  return current
}

/** A committed append, and the position of its rows. */
export interface RecentAppend {
  readonly appendId: string
  /** Seq of its first row. */
  readonly first: number
  readonly count: number
}

/** A record as it is stored. */
export interface StoredRecord extends ConversationRecord {
  /** The newest appends, oldest first. */
  readonly recentAppends: readonly RecentAppend[]
  /**
   * Missing in records of earlier versions. When an earlier version claims, it keeps the field, so the epoch in it may
   * be outdated.
   */
  readonly owner?: Owner
}

/** The owner's newest claim and append. */
interface Owner {
  /** Epoch of the newest claim. */
  readonly epoch: number
  readonly attempt?: string | undefined
  /** Order of the newest append; 0: none. */
  readonly order: number
}

/** Fields of records in all formats, with the defaults for older formats that lack them. */
const DEFAULTS = { title: '', era: 0, openRunId: null, openCalls: [], recentAppends: [] } as const

export function newRecord(conversationId: string, at: number): StoredRecord {
  return {
    ...DEFAULTS,
    format: FORMAT,
    conversationId,
    createdAt: at,
    updatedAt: at,
    lastSeq: 0,
    epoch: 0,
  }
}

const isRecentAppends = listOf(shape({ appendId: isText, first: isNumber, count: isNumber }))

const isRecordShape = shape({
  format: isNumber,
  conversationId: isText,
  title: isText,
  createdAt: isNumber,
  updatedAt: isNumber,
  lastSeq: isNumber,
  epoch: isNumber,
  claim: optional(shape({ id: isText, epoch: isNumber })),
  era: isNumber,
  openRunId: nullOr(isText),
  openCalls: listOf(isText),
  parent: optional(shape({ conversationId: isText, runId: isText, toolCallId: isText })),
  recentAppends: isRecentAppends,
  owner: optional(isRecord),
  importId: optional(isText),
  broken: optional(isText),
})

/**
 * Reads a stored record of any format. Of a newer format, only the fields that all formats share are kept, without open
 * runs or calls: this version couldn't resume them. A damaged record keeps its title and time, and is marked as broken.
 */
export function readRecord(conversationId: string, row: unknown): StoredRecord {
  const fields = isRecord(row) ? row : {}
  const { format } = fields
  const isOlder = isNumber(format) && Number(format) < FORMAT
  const withDefaults = isOlder ? { ...DEFAULTS, ...fields } : row
  if (!isNewerFormat(format) && isRecordShape(withDefaults))
    return withDefaults as unknown as StoredRecord
  const shared = sharedFields(conversationId, fields)
  if (isNewerFormat(format)) return { ...shared, format }
  const { title, updatedAt } = shared
  const broken = "The conversation's record can't be read."
  return { ...newRecord(conversationId, updatedAt), title, broken }
}

/** Fields that all formats share, with defaults for missing ones. */
function sharedFields(
  conversationId: string,
  fields: Readonly<Record<string, unknown>>,
): StoredRecord {
  const { title, recentAppends } = fields
  const numberOf = (name: string): number => (isNumber(fields[name]) ? Number(fields[name]) : 0)
  return {
    ...newRecord(conversationId, numberOf('createdAt')),
    title: typeof title === 'string' ? title : '',
    updatedAt: numberOf('updatedAt'),
    lastSeq: numberOf('lastSeq'),
    epoch: numberOf('epoch'),
    recentAppends: isRecentAppends(recentAppends) ? (recentAppends as readonly RecentAppend[]) : [],
  }
}

/** Record for rows whose own record is gone. */
export function lostRecord(conversationId: string): StoredRecord {
  return { ...newRecord(conversationId, 0), broken: "The conversation's record is missing." }
}

/** The record as the store returns it. */
export function publicRecord(stored: StoredRecord): ConversationRecord {
  const { recentAppends: _recentAppends, owner: _owner, ...record } = stored
  return record
}

export function brokenConversation(conversationId: string, fault: string): OffstageError {
  return new OffstageError(
    'conversation-broken',
    `Conversation ${conversationId} is damaged. ${fault} It can be read up to there and deleted; all others work.`,
    { details: { conversationId, fault } },
  )
}

export function takenOverError(): OffstageError {
  return new OffstageError(
    'ownership-lost',
    'Another tab or worker has taken over this conversation.',
  )
}

/** Record for a claim on a conversation without one. Throws `conversation-not-found` if it must not be created. */
export function unclaimed(
  conversationId: string,
  at: number,
  { create = true, parent }: ClaimOptions = {},
): StoredRecord {
  if (create) return { ...newRecord(conversationId, at), ...(parent && { parent }) }
  throw new OffstageError('conversation-not-found', `Conversation ${conversationId} is gone.`)
}

/** Refuses a new child conversation whose parent is gone. An existing one continues without its parent. */
export function refuseOrphan(record: StoredRecord, hasParent: boolean): void {
  const { conversationId, parent, lastSeq } = record
  if (parent === undefined || lastSeq > 0 || hasParent) return
  throw new OffstageError(
    'conversation-not-found',
    `The parent ${parent.conversationId} of conversation ${conversationId} is gone.`,
  )
}

/**
 * Applies a claim. Returns the same record if the newest claim is delivered again. Keeps the record's format: until
 * something is appended, an older version can still work on it.
 */
export function claimRecord(
  record: StoredRecord,
  epoch: number,
  { claimId, attempt, ifEpoch = record.epoch, ifSeq = record.lastSeq }: ClaimOptions = {},
): StoredRecord {
  refuseNewer(record)
  refuseBroken(record)
  if (attempt && ownerOf(record).attempt === attempt) return record
  if (ifEpoch !== record.epoch || ifSeq !== record.lastSeq) throw takenOverError()
  return {
    ...record,
    epoch,
    ...(claimId !== undefined && { claim: { id: claimId, epoch } }),
    owner: { epoch, attempt, order: 0 },
  }
}

export function ownerOf({ owner, epoch }: StoredRecord): Owner {
  return owner?.epoch === epoch ? owner : { epoch, order: 0 }
}

/** Id of the newest claim. Null if it has none. */
export function claimIdOf({ claim, epoch }: Pick<StoredRecord, 'claim' | 'epoch'>): string | null {
  return claim?.epoch === epoch ? claim.id : null
}

/** A changed record, and the rows that come with the change. */
export interface RecordChange {
  readonly record: StoredRecord
  readonly rows: readonly Row[]
}

/** Notes a fault, or that there is none. Null for a record of a newer format. */
export function markRecord(record: StoredRecord, broken: string | null): RecordChange | null {
  if (isNewerFormat(record.format)) return null
  const { broken: _broken, ...rest } = record
  return { record: broken === null ? rest : { ...rest, broken }, rows: [] }
}

export function refuseNewer({ conversationId, format }: StoredRecord): void {
  if (!isNewerFormat(format)) return
  throw new OffstageError(
    'storage-newer',
    `Conversation ${conversationId} was written by a newer Offstage (format ${format}): reload the page or update the package.`,
    { details: { conversationId, format } },
  )
}

export function refuseBroken({ conversationId, broken }: StoredRecord): void {
  if (broken !== undefined) throw brokenConversation(conversationId, broken)
}

/** Error for a decision that depends on rows, when only a copy of them can be read. */
export function onlyCopy(): OffstageError {
  return new OffstageError('storage-offline', 'The store is offline. Try again once it is back.', {
    retryable: true,
  })
}

/** Differs between conversations that had the same id one after the other. */
export function makerOf(record: ConversationRecord | null): string | null {
  return record && `${record.createdAt} ${record.importId}`
}
