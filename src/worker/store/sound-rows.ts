import { UNFINISHED, type ConversationRecord } from '../../protocol/conversation.ts'
import { FORMAT, type Row } from '../../protocol/fact.ts'
import { checkRow, type Fault } from './check-row.ts'

interface SoundRows {
  readonly sound: readonly Row[]
  readonly fault: Fault | null
}

/**
 * The rows before the first that is missing or in a newer format, and the reason. An unreadable row is replaced by a
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
  const isWhole = record?.lastSeq === seq && record.broken !== UNFINISHED
  if (record === null || isWhole) return { sound, fault: null }
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
