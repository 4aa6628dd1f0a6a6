import type { ConversationRecord } from '../../protocol/conversation.ts'
import type { ListedRecords, ListPage } from './store.ts'

export type Place = Pick<ConversationRecord, 'updatedAt' | 'conversationId'>

/** Order of lists: newest change first, then by id. */
function byNewest(a: Place, b: Place): number {
  if (a.updatedAt !== b.updatedAt) return b.updatedAt - a.updatedAt
  return a.conversationId < b.conversationId ? -1 : Number(a.conversationId > b.conversationId)
}

/** Value of `next` for the last record of a page. */
export function placeAfter({ updatedAt, conversationId }: Place): string {
  return `${updatedAt} ${conversationId}`
}

/** Reads a value of `next`. Null, for the beginning, if it names no place. */
export function readPlace(after: string | undefined): Place | null {
  const [, updatedAt, conversationId] = /^(-?[\d.e-]+) (.*)$/s.exec(after ?? '') ?? []
  if (updatedAt === undefined || conversationId === undefined) return null
  return { updatedAt: Number(updatedAt), conversationId }
}

/** Returns one page of the records, which may be in any order. */
export function pageOf(
  all: readonly ConversationRecord[],
  { limit = Infinity, after }: ListPage = {},
): ListedRecords {
  const place = readPlace(after)
  const rest = all.toSorted(byNewest).filter((record) => !place || byNewest(place, record) < 0)
  const records = rest.slice(0, limit)
  const last = records.at(-1)
  return { records, next: last && rest.length > records.length ? placeAfter(last) : null }
}
