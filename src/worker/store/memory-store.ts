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
  publicRecord,
  refuseOrphan,
  unclaimed,
  type StoredRecord,
} from './record.ts'
import {
  type Append,
  ChangeEmitter,
  type TitleChange,
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
  const kept = { records, rows, drafts }
  let epoch = 0

  const changes = new ChangeEmitter()
  const changed = (id: string): void => changes.report(changeOf(id, records.get(id)))
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
      changed(conversationId)
      return { storeId, epoch: claimed.epoch }
    },
    append: async (append) => {
      const { conversationId } = append
      const written = appendIn(kept, append)
      changed(conversationId)
      return written
    },
    keepDraft: async (draft) => keepDraftIn(kept, draft),
    draftOf: async (conversationId) => drafts.get(conversationId),
    place: async (placement) => {
      const placed = placeIn(kept, placement, epoch + 1)
      epoch = Math.max(epoch, placed?.epoch ?? 0)
      if (placed) changed(placement.conversationId)
      return placed !== null
    },
    read: async (conversationId, range) => ({
      record: find(conversationId),
      rows: sliceOf(rows.get(conversationId) ?? [], range),
    }),
    list: async (page) => pageOf([...records.values()].map(publicRecord), page),
    get: async (conversationId) => find(conversationId),
    rename: async (conversationId, name) => {
      const isRenamed = renameIn(kept, conversationId, name)
      if (isRenamed) changed(conversationId)
      return isRenamed
    },
    mark: async (conversationId, broken) => {
      if (markIn(kept, conversationId, broken)) changed(conversationId)
    },
    descendants: async (conversationId) => treeOf(records, conversationId).slice(1),
    delete: async (conversationId) => {
      const deleted = deleteIn(kept, conversationId)
      deleted.forEach(changed)
      return deleted.length > 0
    },
    follow: (onChange) => changes.follow(onChange),
    close: () => undefined,
  }
}

interface Kept {
  readonly records: Map<string, StoredRecord>
  readonly rows: Map<string, Row[]>
  readonly drafts: Map<string, StepDraft>
}

function appendIn({ records, rows, drafts }: Kept, append: Append): readonly Row[] {
  const { conversationId } = append
  const found = records.get(conversationId)
  const stored = rows.get(conversationId) ?? []
  const before = committedBefore(found, append)
  if (before) return rowsBefore(append, before, stored.slice(before.first - 1))
  const applied = applyAppend(found, append)
  records.set(conversationId, applied.record)
  rows.set(conversationId, stored)
  stored.push(...applied.rows)
  if (endsDraft(append.rows)) drafts.delete(conversationId)
  return applied.rows
}

function markIn({ records }: Kept, conversationId: string, broken: string | null): boolean {
  const record = records.get(conversationId)
  const marked = record && markRecord(record, broken)
  if (!marked) return false
  records.set(conversationId, marked)
  return true
}

function keepDraftIn({ records, drafts }: Kept, draft: StepDraft): void {
  const record = records.get(draft.conversationId)
  if (record && isCurrent(draft, record)) drafts.set(draft.conversationId, draft)
}

function sliceOf(stored: readonly Row[], { after = 0, limit, newest }: RowRange = {}): Row[] {
  if (newest !== undefined) return stored.slice(Math.max(0, stored.length - newest))
  return stored.slice(after, limit === undefined ? undefined : after + limit)
}

/** The ids of a conversation and then its descendants. */
function treeOf(records: Kept['records'], conversationId: string): string[] {
  const tree = new Set([conversationId])
  for (const id of tree)
    for (const [childId, { parent }] of records)
      if (parent?.conversationId === id) tree.add(childId)
  return [...tree]
}

function renameIn({ records, rows }: Kept, conversationId: string, name: TitleChange): boolean {
  const record = records.get(conversationId)
  if (record === undefined) return false
  if (name.ifLastSeq !== undefined && name.ifLastSeq !== record.lastSeq) return false
  const renamed = applyRename(record, name)
  records.set(conversationId, renamed.record)
  rows.set(conversationId, [...(rows.get(conversationId) ?? []), ...renamed.rows])
  return true
}

/** Deletes a conversation with its descendants, and returns the deleted ids. */
function deleteIn({ records, rows, drafts }: Kept, conversationId: string): string[] {
  if (!records.has(conversationId)) return []
  const tree = treeOf(records, conversationId)
  for (const id of tree) {
    rows.delete(id)
    drafts.delete(id)
    records.delete(id)
  }
  return tree
}

/** Places a conversation and returns its record; null when another record exists already. */
function placeIn(
  { records, rows }: Kept,
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
