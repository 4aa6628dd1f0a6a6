import type { Compaction } from '../protocol/compaction.ts'
import type { ContextRow, ConversationState } from '../protocol/state.ts'
import { contextOn } from './context.ts'

type Row = Extract<ContextRow, { readonly type: 'compacted' | 'results-cleared' }>

/** The compactions of the head's branch, oldest first. */
export function compactionsOn(state: ConversationState): readonly Compaction[] {
  return contextOn(state).filter(isCompaction).map(compactionOf)
}

const listCache = new WeakMap<readonly ContextRow[], readonly Compaction[]>()

/** Like `compactionsOn`, but returns the same list for the same rows, and null when there are none. */
export function shownCompactions(state: ConversationState): readonly Compaction[] | null {
  const rows = contextOn(state)
  const value = listCache.get(rows) ?? compactionsOn(state)
  listCache.set(rows, value)
  return value.length > 0 ? value : null
}

function isCompaction(row: ContextRow): row is Row {
  return row.type === 'compacted' || row.type === 'results-cleared'
}

const compactionCache = new WeakMap<Row, Compaction>()

/** Returns the same object for the same row. */
function compactionOf(row: Row): Compaction {
  const cached = compactionCache.get(row)
  if (cached) return cached
  const { after, at, tokensBefore, tokensAfter } = row
  const value: Compaction = {
    kind: kindOf(row),
    after,
    at,
    ...(tokensBefore !== undefined && { tokensBefore }),
    ...(tokensAfter !== undefined && { tokensAfter }),
    ...(row.type === 'compacted' && row.summary !== '' && { summary: row.summary }),
  }
  compactionCache.set(row, value)
  return value
}

function kindOf(row: Row): Compaction['kind'] {
  if (row.type === 'results-cleared') return 'results-cleared'
  return row.summary === '' ? 'dropped' : 'summarized'
}
