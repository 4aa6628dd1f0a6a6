import type { ConversationRecord } from '../../protocol/conversation.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { ClaimOptions } from './store.ts'
import { FORMAT } from '../../protocol/fact.ts'
import { isNumber, isRecord, isText, listOf, nullOr, optional, shape } from '../../lib/shape.ts'
import { isNewerFormat } from './upcast.ts'

/** An append that was committed: where its rows are. */
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
  /** Missing in records of earlier versions. These keep the field when they claim, so its epoch may be outdated. */
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

/** What records of all formats have, or what stands for it where an older one lacks it. */
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

const areRecent = listOf(shape({ appendId: isText, first: isNumber, count: isNumber }))

const isSound = shape({
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
  recentAppends: areRecent,
  owner: optional(isRecord),
  importId: optional(isText),
  broken: optional(isText),
})

/**
 * A stored record, in the format that it was written in. One of a newer format is what every format has in
 * common: nothing is open in it that this version could go on with. One that isn't whole is named as
 * broken, with what of it can be shown.
 */
export function readRecord(conversationId: string, row: unknown): StoredRecord {
  const fields = isRecord(row) ? row : {}
  const { format } = fields
  const isOlder = isNumber(format) && Number(format) < FORMAT
  const whole = isOlder ? { ...DEFAULTS, ...fields } : row
  if (!isNewerFormat(format) && isSound(whole)) return whole as unknown as StoredRecord
  const known = inCommon(conversationId, fields)
  if (isNewerFormat(format)) return { ...known, format }
  const { title, updatedAt } = known
  const broken = "The conversation's record can't be read."
  return { ...newRecord(conversationId, updatedAt), title, broken }
}

/** What is the same in all formats, as far as it is there. */
function inCommon(conversationId: string, fields: Readonly<Record<string, unknown>>): StoredRecord {
  const { title, recentAppends } = fields
  const numberOf = (name: string): number => (isNumber(fields[name]) ? Number(fields[name]) : 0)
  return {
    ...newRecord(conversationId, numberOf('createdAt')),
    title: typeof title === 'string' ? title : '',
    updatedAt: numberOf('updatedAt'),
    lastSeq: numberOf('lastSeq'),
    epoch: numberOf('epoch'),
    recentAppends: areRecent(recentAppends) ? (recentAppends as readonly RecentAppend[]) : [],
  }
}

/** Of rows whose record is gone. */
export function lostRecord(conversationId: string): StoredRecord {
  return { ...newRecord(conversationId, 0), broken: "The conversation's record is missing." }
}

/** As the store returns it. */
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
  { create = true, parent }: ClaimOptions = {},
): StoredRecord {
  if (create) return { ...newRecord(conversationId, at), ...(parent && { parent }) }
  throw new OffstageError('conversation-not-found', `Conversation ${conversationId} is gone.`)
}

/** One that a call of another conversation begins goes with it. One that is there goes on without. */
export function refuseOrphan(record: StoredRecord, hasParent: boolean): void {
  const { conversationId, parent, lastSeq } = record
  if (parent === undefined || lastSeq > 0 || hasParent) return
  throw new OffstageError(
    'conversation-not-found',
    `The conversation ${parent.conversationId}, whose call began ${conversationId}, is gone.`,
  )
}

/**
 * The claimed record, or the same one when this claim is a second copy of the newest. Keeps the record's format: until
 * something is appended, an older version can go on with it.
 */
export function claimRecord(
  record: StoredRecord,
  epoch: number,
  { claimId, attempt, ifEpoch = record.epoch, ifSeq = record.lastSeq }: ClaimOptions = {},
): StoredRecord {
  refuseNewer(record)
  refuseBroken(record)
  if (attempt && ownerOf(record).attempt === attempt) return record
  if (ifEpoch !== record.epoch || ifSeq !== record.lastSeq) throw takenOver()
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

/** What its newest claim was named; null: nothing. */
export function nameOfClaim({
  claim,
  epoch,
}: Pick<StoredRecord, 'claim' | 'epoch'>): string | null {
  return claim?.epoch === epoch ? claim.id : null
}

export function markRecord(record: StoredRecord, broken: string | null): StoredRecord | null {
  if (isNewerFormat(record.format)) return null
  const { broken: _broken, ...rest } = record
  return broken === null ? rest : { ...rest, broken }
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

/** Of what is read to decide something: a copy of rows is no good for it. */
export function onlyCopy(): OffstageError {
  return new OffstageError(
    'storage-offline',
    'The store can not be reached, and a copy is shown.',
    { retryable: true },
  )
}

/** What tells a conversation from another one that has its id later. */
export function makerOf(record: ConversationRecord | null): string | null {
  return record && `${record.createdAt} ${record.importId}`
}
