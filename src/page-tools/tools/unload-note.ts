import { shownAddress } from '../clean-text.ts'
import type { Reconciled, ToolContext } from '../../client/tool.ts'

const PREFIX = 'offstage-left:'

/**
 * Runs an action that may unload the page, and with it the run. If it does, a note in the tab's session
 * storage records for the next page that the action took effect.
 */
export async function withUnloadNote<Result>(
  { idempotencyKey }: ToolContext,
  action: () => Promise<Result>,
): Promise<Result> {
  const leave = (): void => {
    try {
      sessionStorage.setItem(PREFIX + idempotencyKey, location.href)
    } catch {
      // Storage is blocked: the outcome is reported as unknown.
    }
  }
  window.addEventListener('pagehide', leave)
  try {
    return await action()
  } finally {
    window.removeEventListener('pagehide', leave)
  }
}

/** Reads and removes the note of an interrupted action; undefined when there is none. */
export function readUnloadNote(idempotencyKey: string): Reconciled {
  try {
    const from = sessionStorage.getItem(PREFIX + idempotencyKey)
    if (from === null) return undefined
    sessionStorage.removeItem(PREFIX + idempotencyKey)
    const result = `Done; it led from ${shownAddress(from)} to ${shownAddress(location.href)}. All refs are new: read the page.`
    return { happened: true, result }
  } catch {
    return undefined
  }
}
