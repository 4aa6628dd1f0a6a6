import { type ConversationRecord, INCOMPLETE_IMPORT } from '../../protocol/conversation.ts'
import { FORMAT, type Row } from '../../protocol/fact.ts'
import { checkRow, type Fault } from './check-row.ts'
import { emptyState, rooted } from '../../conversation/state.ts'
import { fold } from '../../conversation/fold.ts'
import type { ConversationState } from '../../protocol/state.ts'
import { isRecord } from '../../lib/shape.ts'
import type { Store } from './store.ts'

/** Minimum length for a preview: shorter conversations are just as quick to read in full. Rows. */
const LONG_ROWS = 1000
const NEWEST_ROWS = 300
/** Rows that a preview has at least, if possible: they usually make more messages than a checkpoint has. */
const CHECKPOINT_ROWS = 120

/**
 * State of the end of a long conversation, to show while all its rows are read. The state is windowed; `older` isn't a
 * count, and only says that there is more. Null if reading everything is as quick, or no run begins in the newest rows.
 */
export async function newestState(
  store: Store,
  conversationId: string,
): Promise<ConversationState | null> {
  const { record } = await store.read(conversationId, { limit: 0 })
  if (record === null || record.broken !== undefined || record.lastSeq < LONG_ROWS) return null
  const after = record.lastSeq - NEWEST_ROWS
  const { rows } = await store.read(conversationId, { after })
  const lastStart = rows.findLastIndex(
    (row, index) => index <= rows.length - CHECKPOINT_ROWS && isStart(row),
  )
  const skipped = Math.max(0, lastStart)
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

interface SoundRows {
  readonly sound: readonly Row[]
  readonly fault: Fault | null
}

/**
 * Rows before the first fault (a missing row or a newer format), and that fault. An unreadable row is replaced by a
 * fact that says so. `after` is the seq before the rows.
 */
export function soundRows(
  rows: readonly unknown[],
  { after, record }: { readonly after: number; readonly record: ConversationRecord | null },
): SoundRows {
  const sound: Row[] = []
  let seq = after
  for (const stored of rows) {
    const row = checkRow(stored, seq + 1)
    const isFault = 'fault' in row
    if (isFault && row.kind !== 'unsound') return { sound, fault: row }
    seq += 1
    sound.push(isFault ? rowSetAside(row.fault, seq, record) : row)
  }
  const isComplete = record?.lastSeq === seq && record.broken !== INCOMPLETE_IMPORT
  if (record === null || isComplete) return { sound, fault: null }
  const fault = record.broken ?? `Row ${Math.min(seq, record.lastSeq) + 1} is missing.`
  return { sound, fault: { fault, kind: 'missing' } }
}

/** The fact that replaces an unreadable row. It has none of the row's content. */
function rowSetAside(reason: string, seq: number, record: ConversationRecord | null): Row {
  const { conversationId = '', updatedAt: at = 0 } = record ?? {}
  return {
    type: 'row-set-aside',
    reason,
    format: FORMAT,
    conversationId,
    seq,
    runId: null,
    at,
    appendId: '',
  }
}
