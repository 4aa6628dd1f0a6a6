import type { Row } from '../../protocol/fact.ts'
import { randomId } from '../../lib/random-id.ts'
import { applyAppend, applyRename, committedBefore, rowsBefore } from './apply-append.ts'
import { applyPlacement } from './apply-placement.ts'
import { endsDraft, isCurrent } from './step-draft.ts'
import {
  claimRecord,
  markRecord,
  publicRecord,
  refuseOrphan,
  unclaimed,
  type StoredRecord,
} from './record.ts'
import type { Name, Placement, StepDraft, Store } from './store.ts'

/** A store that lives as long as its object: for private windows, tests, and `storage: 'memory'`. */
export function createMemoryStore(storeId: string = randomId()): Store {
  const records = new Map<string, StoredRecord>()
  const rows = new Map<string, Row[]>()
  const drafts = new Map<string, StepDraft>()
  const kept = { records, rows, drafts }
  let epoch = 0

  const find = (conversationId: string): ReturnType<typeof publicRecord> | null => {
    const record = records.get(conversationId)
    return record ? publicRecord(record) : null
  }

  return {
    claim: async (conversationId, at, options) => {
      const found = records.get(conversationId) ?? unclaimed(conversationId, at, options)
      refuseOrphan(found, records.has(found.parent?.conversationId ?? ''))
      records.set(conversationId, claimRecord(found, epoch + 1))
      epoch += 1
      return { storeId, epoch }
    },
    append: async (append) => {
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
    },
    keepDraft: async (draft) => keepDraftIn(kept, draft),
    draftOf: async (conversationId) => drafts.get(conversationId),
    place: async (placement) => {
      const placed = placeIn(kept, placement, epoch + 1)
      epoch = placed?.epoch ?? epoch
      return placed !== null
    },
    read: async (conversationId, afterSeq = 0, count = Infinity) => ({
      record: find(conversationId),
      rows: (rows.get(conversationId) ?? []).slice(afterSeq, afterSeq + count),
    }),
    list: async () =>
      [...records.values()].map(publicRecord).sort((a, b) => b.updatedAt - a.updatedAt),
    get: async (conversationId) => find(conversationId),
    rename: async (conversationId, title, at) => renameIn(kept, conversationId, { title, at }),
    renameAfter: async (conversationId, seq, name) =>
      records.get(conversationId)?.lastSeq === seq && renameIn(kept, conversationId, name),
    mark: async (conversationId, broken) => {
      const record = records.get(conversationId)
      const marked = record && markRecord(record, broken)
      if (marked) records.set(conversationId, marked)
    },
    descendants: async (conversationId) => treeOf(records, conversationId).slice(1),
    delete: async (conversationId) => deleteIn(kept, conversationId),
    close: () => undefined,
  }
}

interface Kept {
  readonly records: Map<string, StoredRecord>
  readonly rows: Map<string, Row[]>
  readonly drafts: Map<string, StepDraft>
}

function keepDraftIn({ records, drafts }: Kept, draft: StepDraft): void {
  const record = records.get(draft.conversationId)
  if (record && isCurrent(draft, record)) drafts.set(draft.conversationId, draft)
}

/** Itself, then its descendants. */
function treeOf(records: Kept['records'], conversationId: string): string[] {
  const tree = new Set([conversationId])
  for (const id of tree)
    for (const [childId, { parent }] of records)
      if (parent?.conversationId === id) tree.add(childId)
  return [...tree]
}

function renameIn({ records, rows }: Kept, conversationId: string, name: Name): boolean {
  const record = records.get(conversationId)
  if (record === undefined) return false
  const renamed = applyRename(record, name)
  records.set(conversationId, renamed.record)
  rows.set(conversationId, [...(rows.get(conversationId) ?? []), ...renamed.rows])
  return true
}

function deleteIn({ records, rows, drafts }: Kept, conversationId: string): boolean {
  if (!records.has(conversationId)) return false
  for (const id of treeOf(records, conversationId)) {
    rows.delete(id)
    drafts.delete(id)
    records.delete(id)
  }
  return true
}

/** The record; null: there is one already. */
function placeIn(
  { records, rows }: Kept,
  placement: Placement,
  epoch: number,
): StoredRecord | null {
  const { conversationId, after } = placement
  const placed = applyPlacement(records.get(conversationId), placement, epoch)
  if (placed === null) return null
  const stored = after === 0 ? [] : (rows.get(conversationId) ?? [])
  stored.push(...placed.rows)
  rows.set(conversationId, stored)
  records.set(conversationId, placed.record)
  return placed.record
}
