import type { Compaction } from '../protocol/compaction.ts'
import type { ContextRow, ConversationState } from '../protocol/state.ts'
import { contextOn } from './context.ts'
import { cached } from './cached.ts'
import { pick } from './state.ts'

type Row = Extract<ContextRow, { readonly type: 'compacted' | 'results-cleared' }>

/** The compactions of the head's branch, oldest first. */
export function compactionsOn(state: ConversationState): readonly Compaction[] {
  return compactionsIn(contextOn(state))
}

/** Like `compactionsOn`, but returns the same list for the same rows, and null instead of an empty list. */
export function shownCompactions(state: ConversationState): readonly Compaction[] | null {
  const list = shownList(contextOn(state))
  return list.length > 0 ? list : null
}

const shownList = cached(compactionsIn)

function compactionsIn(rows: readonly ContextRow[]): readonly Compaction[] {
  return rows.filter(isCompaction).map(compactionOf)
}

function isCompaction(row: ContextRow): row is Row {
  return row.type === 'compacted' || row.type === 'results-cleared'
}

/** Returns the same object for the same row. */
const compactionOf = cached((row: Row): Compaction => ({
  kind: kindOf(row),
  ...pick(row, ['after', 'at', 'tokensBefore', 'tokensAfter']),
  ...(row.type === 'compacted' && row.summary !== '' && { summary: row.summary }),
}))

function kindOf(row: Row): Compaction['kind'] {
  if (row.type === 'results-cleared') return 'results-cleared'
  return row.summary === '' ? 'dropped' : 'summarized'
}
