const KEY = 'offstage.stored '

/**
 * Marks, outside the database, that it exists. Returns whether it was marked before. False also if the page has no
 * local storage, or that was cleared.
 */
export function markStored(storage: string): boolean {
  try {
    // The one of `window`, as other runtimes have a global one that asks for a file.
    const marks = globalThis.window.localStorage
    const isMarked = marks.getItem(KEY + storage) !== null
    if (!isMarked) marks.setItem(KEY + storage, '')
    return isMarked
  } catch {
    return false
  }
}
