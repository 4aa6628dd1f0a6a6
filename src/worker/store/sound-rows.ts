import { UNFINISHED, type ConversationRecord } from '../../protocol/conversation.ts'
import type { Row } from '../../protocol/fact.ts'
import { checkRow, type Fault } from './check-row.ts'

interface SoundRows {
  readonly sound: readonly Row[]
  readonly fault: Fault | null
}

/** The rows up to the first that can't be folded, and what is wrong with it. `after`: the seq before them. */
export function soundRows(
  rows: readonly unknown[],
  { after, record }: { readonly after: number; readonly record: ConversationRecord | null },
): SoundRows {
  const sound: Row[] = []
  let seq = after
  for (const stored of rows) {
    const row = checkRow(stored, seq + 1)
    if ('fault' in row) return { sound, fault: row }
    sound.push(row)
    seq = row.seq
  }
  const isWhole = record?.lastSeq === seq && record.broken !== UNFINISHED
  if (record === null || isWhole) return { sound, fault: null }
  const fault = record.broken ?? `Row ${Math.min(seq, record.lastSeq) + 1} is missing.`
  return { sound, fault: { fault, isNewer: false } }
}
