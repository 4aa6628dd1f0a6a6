import { emptyState } from '../../conversation/empty-state.ts'
import { fold } from '../../conversation/fold.ts'
import { rooted } from '../../conversation/rooted.ts'
import type { ConversationState } from '../../protocol/state.ts'
import { isRecord } from '../../lib/shape.ts'
import { soundRows } from './sound-rows.ts'
import type { Store } from './store.ts'

/** Shorter conversations are read whole as quickly. Rows. */
const LONG = 1000
const NEWEST = 300
/** What comes to more messages than a checkpoint has, mostly. Rows. */
const SHOWN = 120

/**
 * The end of a long conversation, from its newest rows alone: something to show while all of it is read. A
 * windowed state, whose `older` says only that there is more. Null where there is nothing to be gained, or
 * the newest rows don't hold the begin of a run.
 */
export async function newestState(
  store: Store,
  conversationId: string,
): Promise<ConversationState | null> {
  const { record } = await store.read(conversationId, { limit: 0 })
  if (record === null || record.broken !== undefined || record.lastSeq < LONG) return null
  const after = record.lastSeq - NEWEST
  const { rows } = await store.read(conversationId, { after })
  const enough = rows.findLastIndex((row, at) => at <= rows.length - SHOWN && isStart(row))
  const skipped = Math.max(0, enough)
  const { sound, fault } = soundRows(rows.slice(skipped), { after: after + skipped, record })
  const from = sound.findIndex(isStart)
  const first = sound[from]
  if (fault !== null || !first) return null
  const { title, era } = record
  const base = { ...emptyState(conversationId), title, era, older: 1 }
  const state = fold(rooted(base, first), sound.slice(from))
  return state.isStale ? null : state
}

/** A run begins with the row. */
export function isStart(row: unknown): boolean {
  return isRecord(row) && row['type'] === 'run-started'
}
