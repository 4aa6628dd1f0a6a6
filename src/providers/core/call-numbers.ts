/** Tells calls of an answer that began anew from further calls, by the numbers (`index`) of those opened. */
export interface CallNumbers {
  /** The message was opened again: a number that is taken by now was given before that. */
  reopen(): void
  /** A call is opened, at the number of a complete one if `isTaken`. True: the answer has begun anew. */
  isRepeated(
    call: { readonly index?: number | undefined; readonly place?: number },
    isTaken: boolean,
  ): boolean
}

/**
 * Some servers give all calls the same number, some give each its place in the chunk. Only one that counts
 * the calls of the whole answer has begun anew when it gives a number twice.
 */
export function createCallNumbers(): CallNumbers {
  const given = new Set<number>()
  let counts = false
  let isTwice = false
  return {
    reopen() {
      counts = true
    },
    isRepeated({ index, place }, isTaken) {
      if (index === undefined || place === undefined) return false
      counts ||= given.size > 0 && index !== place && !given.has(index)
      given.add(index)
      isTwice ||= isTaken
      return counts && isTwice
    },
  }
}
