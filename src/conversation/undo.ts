import type { RowOf } from '../protocol/fact.ts'
import type { CallState } from '../protocol/state.ts'

/**
 * Whether the call can be undone. A failed undo may be tried again. An undo with an unknown outcome may not: it may
 * have happened.
 */
export function isUndoable({ status, decidedBy, undo }: CallState): boolean {
  return (
    status === 'succeeded' &&
    decidedBy?.undoable === true &&
    (undo === undefined || undo === 'failed')
  )
}

/** Folds a row about undoing a call. Null if nothing changes. */
export function foldUndo(
  call: CallState,
  row: RowOf<'undo-started' | 'undo-settled'>,
): Partial<CallState> | null {
  if (row.type === 'undo-started') return isUndoable(call) ? { undo: 'unknown' } : null
  if (call.undo !== 'unknown') return null
  return { undo: row.status === 'done' ? 'done' : 'failed' }
}
