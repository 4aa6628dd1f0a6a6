import type { RowOf } from '../protocol/fact.ts'
import type { CallState } from '../protocol/state.ts'

/** One that failed may be tried again; of one whose end isn't known nobody can say whether that would be once too often. */
export function isUndoable({ status, decidedBy, undo }: CallState): boolean {
  return (
    status === 'succeeded' &&
    decidedBy?.undoable === true &&
    (undo === undefined || undo === 'failed')
  )
}

/** What a row about undoing a call makes of it; null: nothing. */
export function foldUndo(
  call: CallState,
  row: RowOf<'undo-started' | 'undo-settled'>,
): Partial<CallState> | null {
  if (row.type === 'undo-started') return isUndoable(call) ? { undo: 'unknown' } : null
  if (call.undo !== 'unknown') return null
  return { undo: row.status === 'done' ? 'done' : 'failed' }
}
