import type { Row } from '../../protocol/fact.ts'
import { randomId } from '../../lib/random-id.ts'
import {
  applyAppend,
  applyPlacement,
  applyRename,
  committedBefore,
  rowsBefore,
  wasPlaced,
  endsDraft,
  isCurrent,
} from './apply-append.ts'
import {
  claimRecord,
  markRecord,
  type RecordChange,
  publicRecord,
  refuseOrphan,
  unclaimed,
  type StoredRecord,
} from './record.ts'
import {
  type Append,
  ChangeEmitter,
  pageOf,
  type Placement,
  type RowRange,
  type StepDraft,
  type Store,
  type StoreChange,
} from './store.ts'

function changeOf(
  conversationId: string,
  { lastSeq, epoch }: Pick<StoredRecord, 'lastSeq' | 'epoch'> = { lastSeq: 0, epoch: 0 },
): StoreChange {
  return { conversationId, lastSeq, epoch }
}

/** A store that lives as long as its object: for private windows, tests, and `storage: 'memory'`. */
export function createMemoryStore(storeId: string = randomId()): Store {
  const records = new Map<string, StoredRecord>()
  const rows = new Map<string, Row[]>()
  const drafts = new Map<string, StepDraft>()
  const tables = { records, rows, drafts }
  let epoch = 0

  const changes = new ChangeEmitter()
  const reportChange = (id: string): void => changes.report(changeOf(id, records.get(id)))
  const find = (conversationId: string): ReturnType<typeof publicRecord> | null => {
    const record = records.get(conversationId)
    return record ? publicRecord(record) : null
  }

  return {
    claim: async (conversationId, at, options) => {
      const found = records.get(conversationId) ?? unclaimed(conversationId, at, options)
      refuseOrphan(found, records.has(found.parent?.conversationId ?? ''))
      const claimed = claimRecord(found, epoch + 1, options)
      records.set(conversationId, claimed)
      epoch += 1
      reportChange(conversationId)
      return { storeId, epoch: claimed.epoch }
    },
    append: async (append) => {
      const { conversationId } = append
      const stored = appendIn(tables, append)
      reportChange(conversationId)
      return stored
    },
    keepDraft: async (draft) => keepDraftIn(tables, draft),
    draftOf: async (conversationId) => drafts.get(conversationId),
    place: async (placement) => {
      const placed = placeIn(tables, placement, epoch + 1)
      epoch = Math.max(epoch, placed?.epoch ?? 0)
      if (placed) reportChange(placement.conversationId)
      return placed !== null
    },
    read: async (conversationId, range) => ({
      record: find(conversationId),
      rows: sliceOf(rows.get(conversationId) ?? [], range),
    }),
    list: async (page) => pageOf([...records.values()].map(publicRecord), page),
    get: async (conversationId) => find(conversationId),
    rename: async (conversationId, name) => {
      const isRenamed = changeIn(tables, conversationId, (record) => applyRename(record, name))
      if (isRenamed) reportChange(conversationId)
      return isRenamed
    },
    mark: async (id, broken) => {
      if (changeIn(tables, id, (record) => markRecord(record, broken))) reportChange(id)
    },
    descendants: async (conversationId) => treeOf(records, conversationId).slice(1),
    delete: async (conversationId) => {
      const deleted = deleteIn(tables, conversationId)
      deleted.forEach(reportChange)
      return deleted.length > 0
    },
    follow: (onChange) => changes.follow(onChange),
    close: () => undefined,
  }
}

interface Tables {
  readonly records: Map<string, StoredRecord>
  readonly rows: Map<string, Row[]>
  readonly drafts: Map<string, StepDraft>
}

function appendIn({ records, rows, drafts }: Tables, append: Append): readonly Row[] {
  const { conversationId } = append
  const found = records.get(conversationId)
  const stored = rows.get(conversationId) ?? []
  const committed = committedBefore(found, append)
  if (committed) return rowsBefore(append, committed, stored.slice(committed.first - 1))
  const applied = applyAppend(found, append)
  records.set(conversationId, applied.record)
  rows.set(conversationId, stored)
  stored.push(...applied.rows)
  if (endsDraft(append.rows)) drafts.delete(conversationId)
  return applied.rows
}

function keepDraftIn({ records, drafts }: Tables, draft: StepDraft): void {
  const record = records.get(draft.conversationId)
  if (record && isCurrent(draft, record)) drafts.set(draft.conversationId, draft)
}

function sliceOf(stored: readonly Row[], { after = 0, limit, newest }: RowRange = {}): Row[] {
  if (newest !== undefined) return stored.slice(Math.max(0, stored.length - newest))
  return stored.slice(after, limit === undefined ? undefined : after + limit)
}

/** The ids of a conversation and then its descendants. */
function treeOf(records: Tables['records'], conversationId: string): string[] {
  const ids = new Set([conversationId])
  for (const id of ids)
    for (const [childId, { parent }] of records) if (parent?.conversationId === id) ids.add(childId)
  return [...ids]
}

/** Changes a record. False if there is none, or `update` returns null. */
function changeIn(
  { records, rows }: Tables,
  conversationId: string,
  update: (record: StoredRecord) => RecordChange | null,
): boolean {
  const record = records.get(conversationId)
  const changed = record && update(record)
  if (!changed) return false
  records.set(conversationId, changed.record)
  rows.set(conversationId, [...(rows.get(conversationId) ?? []), ...changed.rows])
  return true
}

/** Deletes a conversation with its descendants, and returns the deleted ids. */
function deleteIn({ records, rows, drafts }: Tables, conversationId: string): string[] {
  if (!records.has(conversationId)) return []
  const ids = treeOf(records, conversationId)
  for (const id of ids) {
    rows.delete(id)
    drafts.delete(id)
    records.delete(id)
  }
  return ids
}

/** Places a conversation and returns its record; null when another record exists already. */
function placeIn(
  { records, rows }: Tables,
  placement: Placement,
  epoch: number,
): StoredRecord | null {
  const { conversationId, after } = placement
  const found = records.get(conversationId)
  if (wasPlaced(found, placement)) return found
  const placed = applyPlacement(found, placement, epoch)
  if (placed === null) return null
  const stored = after === 0 ? [] : (rows.get(conversationId) ?? [])
  stored.push(...placed.rows)
  rows.set(conversationId, stored)
  records.set(conversationId, placed.record)
  return placed.record
}
