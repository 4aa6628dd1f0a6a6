/** Of all copies of the package. */
const KEY: unique symbol = Symbol.for('offstage.words-of-others')

interface Marked {
  readonly [KEY]: string
  readonly result: unknown
}

/** For a tool to return, of which only some results hold words of others: this one does. `origin`: whose they are. */
export function wordsOfOthers(origin: string, result: unknown): unknown {
  const marked: Marked = { [KEY]: origin, result }
  return marked
}

/** What a tool returned, and whose words it holds, where the tool says so of this result. */
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
