import type { ConversationRecord, JournalEntry } from '../../protocol/journal.ts'
import { randomId } from '../random-id.ts'
import { applyAppend, claimRecord, markRecord, unclaimed } from './record.ts'
import type { Store } from './store.ts'

/** A store that lives as long as its object: for private windows, tests, and `storage: 'memory'`. */
export function createMemoryStore(storeId: string = randomId()): Store {
  const records = new Map<string, ConversationRecord>()
  const journals = new Map<string, JournalEntry[]>()
  let epoch = 0

  return {
    claim: async (conversationId, at, options) => {
      const found = records.get(conversationId) ?? unclaimed(conversationId, at, options)
      records.set(conversationId, claimRecord(found, epoch + 1))
      epoch += 1
      return { storeId, epoch }
    },
    append: async (append) => {
      const { record, entries } = applyAppend(records.get(append.conversationId), append)
      records.set(append.conversationId, record)
      const journal = journals.get(append.conversationId) ?? []
      journal.push(...entries)
      journals.set(append.conversationId, journal)
      return entries
    },
    read: async (conversationId, afterSeq = 0) => ({
      record: records.get(conversationId) ?? null,
      entries: (journals.get(conversationId) ?? []).filter((entry) => entry.seq > afterSeq),
    }),
    list: async () => [...records.values()].sort((a, b) => b.updatedAt - a.updatedAt),
    get: async (conversationId) => records.get(conversationId) ?? null,
    rename: async (conversationId, title) => {
      const record = records.get(conversationId)
      if (record) records.set(conversationId, { ...record, title })
      return record !== undefined
    },
    mark: async (conversationId, broken) => {
      const record = records.get(conversationId)
      if (record) records.set(conversationId, markRecord(record, broken))
    },
    delete: async (conversationId) => {
      journals.delete(conversationId)
      return records.delete(conversationId)
    },
    close: () => undefined,
  }
}
