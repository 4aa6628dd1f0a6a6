const KEY = 'offstage.left'

/**
 * Whether the page before this one in this tab was left, by a reload or a navigation: a page that crashed
 * had no time to say so. False where there is no session storage.
 */
export const wasPageLeft: boolean = takeMark()

function takeMark(): boolean {
  try {
    const storage = globalThis.sessionStorage
    const isMarked = storage.getItem(KEY) !== null
    const unmark = (): void => storage.removeItem(KEY)
    unmark()
    globalThis.addEventListener?.('pagehide', () => storage.setItem(KEY, ''))
    // Back from the browser's cache: this page may crash yet.
    globalThis.addEventListener?.('pageshow', unmark)
    return isMarked
  } catch {
    return false
  }
}
