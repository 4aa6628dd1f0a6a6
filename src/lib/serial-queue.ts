export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>

/** Returns a queue that runs one task at a time and continues after failures. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}
