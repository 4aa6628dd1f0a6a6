import type { Reconciled, ToolContext } from '../../client/tool.ts'

const PREFIX = 'offstage-left:'

/**
 * Runs an action that may unload the page, and with it the run. Should that happen, a note in the tab's
 * session storage tells the next page that the action did take effect.
 */
export async function withUnloadNote<Result>(
  { idempotencyKey }: ToolContext,
  action: () => Promise<Result>,
): Promise<Result> {
  const leave = (): void => {
    try {
      sessionStorage.setItem(PREFIX + idempotencyKey, location.href)
    } catch {
      // Storage is blocked: the run will say that the outcome is unknown.
    }
  }
  window.addEventListener('pagehide', leave)
  try {
    return await action()
  } finally {
    window.removeEventListener('pagehide', leave)
  }
}

/** What the note of an interrupted action says; nothing when there is none. */
export function readUnloadNote(idempotencyKey: string): Reconciled {
  try {
    const from = sessionStorage.getItem(PREFIX + idempotencyKey)
    if (from === null) return undefined
    sessionStorage.removeItem(PREFIX + idempotencyKey)
    const result = `Done; it led from ${from} to ${location.href}. All refs are new: read the page.`
    return { happened: true, result }
  } catch {
    return undefined
  }
}
