import type { ConversationRecord } from '../../protocol/conversation.ts'
import type { ListedRecords, ListPage } from './store.ts'

export type Place = Pick<ConversationRecord, 'updatedAt' | 'conversationId'>

/** The order of lists: the newest change first, and of one time by id. */
function byNewest(a: Place, b: Place): number {
  if (a.updatedAt !== b.updatedAt) return b.updatedAt - a.updatedAt
  return a.conversationId < b.conversationId ? -1 : Number(a.conversationId > b.conversationId)
}

/** What `next` says of the last record of a page. */
export function placeAfter({ updatedAt, conversationId }: Place): string {
  return `${updatedAt} ${conversationId}`
}

/** The place that `next` said; what says none is the beginning. */
export function readPlace(after: string | undefined): Place | null {
  const [, updatedAt, conversationId] = /^(-?[\d.e-]+) (.*)$/s.exec(after ?? '') ?? []
  if (updatedAt === undefined || conversationId === undefined) return null
  return { updatedAt: Number(updatedAt), conversationId }
}

/** One page of all records, in whatever order they come. */
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
