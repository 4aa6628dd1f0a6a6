const KEY = 'offstage.left'

/**
 * Whether the previous page in this tab was left by a reload or a navigation. A page that crashed sets no mark. False
 * without session storage.
 */
export const wasPageLeft: boolean = takeMark()

function takeMark(): boolean {
  try {
    const storage = globalThis.sessionStorage
    const isMarked = storage.getItem(KEY) !== null
    const unmark = (): void => storage.removeItem(KEY)
    unmark()
    globalThis.addEventListener?.('pagehide', () => storage.setItem(KEY, ''))
    // Restored from the back/forward cache: this page may still crash.
    globalThis.addEventListener?.('pageshow', unmark)
    return isMarked
  } catch {
    return false
  }
}
