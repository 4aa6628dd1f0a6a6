/** A global symbol, so that all copies of the package recognize each other's marks. */
const KEY: unique symbol = Symbol.for('offstage.words-of-others')

interface Marked {
  readonly [KEY]: string
  readonly result: unknown
}

/**
 * Marks one result of a tool as untrusted, for tools with both trusted and untrusted results. `origin`: source of the
 * content.
 */
export function wordsOfOthers(origin: string, result: unknown): unknown {
  const marked: Marked = { [KEY]: origin, result }
  return marked
}

/** Returns a tool's result without the mark, and the source of its untrusted content if it was marked. */
export function unmarked(returned: unknown): {
  readonly result: unknown
  readonly untrusted?: string
} {
  if (!isMarked(returned)) return { result: returned }
  return { result: returned.result, untrusted: returned[KEY] }
}

function isMarked(returned: unknown): returned is Marked {
  return typeof returned === 'object' && returned !== null && KEY in returned
}
