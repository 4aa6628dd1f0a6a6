import { takeUnloadNote } from '../../lib/unload-note.ts'
import { shownAddress } from '../clean-text.ts'
import type { Reconciled } from '../../client/tool.ts'

/** Outcome of an action that was cut off: it happened if a note says that it left the page. */
export function readUnloadNote(idempotencyKey: string): Reconciled {
  const from = takeUnloadNote(idempotencyKey)
  if (from === undefined) return undefined
  const result = `Done; it led from ${shownAddress(from)} to ${shownAddress(location.href)}. All refs are new: read the page.`
  return { happened: true, result }
}
