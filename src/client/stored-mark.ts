const KEY = 'offstage.stored '

/**
 * Notes outside of the database that there is one, and says whether that was noted before. False where the page has no
 * local storage, and when that was cleared, too.
 */
export function markStored(storage: string): boolean {
  try {
    // Of a window: other runtimes have one that asks for a file.
    const marks = globalThis.window.localStorage
    const isMarked = marks.getItem(KEY + storage) !== null
    if (!isMarked) marks.setItem(KEY + storage, '')
    return isMarked
  } catch {
    return false
  }
}
