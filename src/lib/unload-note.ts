const PREFIX = 'offstage-left:'

/**
 * Runs an action that may unload the page. If the page is left during the action, and `mayLeave()` is then true, stores
 * the page's address in `sessionStorage`, for the next page.
 */
export async function withUnloadNote<Result>(
  key: string,
  action: () => Promise<Result>,
  mayLeave: () => boolean = () => true,
): Promise<Result> {
  const writeNote = (): void => {
    if (!mayLeave()) return
    try {
      sessionStorage.setItem(PREFIX + key, location.href)
    } catch {
      // Storage may be blocked. Without a note, the outcome is reported as unknown.
    }
  }
  globalThis.addEventListener?.('pagehide', writeNote)
  try {
    return await action()
  } finally {
    globalThis.removeEventListener?.('pagehide', writeNote)
  }
}

/** Reads and removes the note. Returns the address of the page that was left. Undefined if there is no note. */
export function takeUnloadNote(key: string): string | undefined {
  try {
    const address = sessionStorage.getItem(PREFIX + key)
    if (address === null) return undefined
    sessionStorage.removeItem(PREFIX + key)
    return address
  } catch {
    return undefined
  }
}
