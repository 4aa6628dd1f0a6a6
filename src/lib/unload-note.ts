const PREFIX = 'offstage-left:'

/**
 * Runs an action that may unload the page. If the page is left meanwhile, and `mayLeave` is true by then, a note with
 * its address is written to the tab's session storage, for the next page.
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
      // Storage is blocked: the outcome is reported as unknown.
    }
  }
  globalThis.addEventListener?.('pagehide', writeNote)
  try {
    return await action()
  } finally {
    globalThis.removeEventListener?.('pagehide', writeNote)
  }
}

/** Reads and removes the note. Returns the address of the page that was left; undefined without a note. */
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
