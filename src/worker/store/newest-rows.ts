import { emptyState } from '../../conversation/empty-state.ts'
import { fold } from '../../conversation/fold.ts'
import { rooted } from '../../conversation/rooted.ts'
import type { ConversationState } from '../../protocol/state.ts'
import { isRecord } from '../../lib/shape.ts'
import { soundRows } from './sound-rows.ts'
import type { Store } from './store.ts'

/** Shorter conversations are just as quick to read in full. Rows. */
const LONG = 1000
const NEWEST = 300
/** Usually makes more messages than a checkpoint has. Rows. */
const SHOWN = 120

/**
 * The end of a long conversation, made from its newest rows, to show while all of it is read. The state is windowed,
 * and its `older` only says that there is more. Null if reading everything is as quick, or no run begins in the newest
 * rows.
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

/** Whether a run begins with the row. */
export function isStart(row: unknown): boolean {
  return isRecord(row) && row['type'] === 'run-started'
}
