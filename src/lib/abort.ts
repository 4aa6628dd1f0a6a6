const aborts = new WeakMap<AbortSignal, Promise<void>>()

/** Resolves when the signal aborts. One listener for each signal, however often it is asked. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  const known = aborts.get(signal)
  if (known) return known
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  aborts.set(signal, aborted)
  return aborted
}

/** The items until the signal aborts, though the source may ignore it. */
export async function* untilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  let stop = (): void => undefined
  const abort = (): void => stop()
  // Not by a race against one promise for all: it would keep every item until the signal aborts.
  const nextItem = (): Promise<IteratorResult<T> | null> =>
    new Promise((resolve, reject) => {
      stop = () => resolve(null)
      if (signal.aborted) stop()
      else iterator.next().then(resolve, reject)
    })
  signal.addEventListener('abort', abort)
  let done = false
  try {
    for (;;) {
      const next = await nextItem()
      if (next === null) return
      if (next.done) {
        done = true
        return
      }
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', abort)
    // Its clean-up isn't waited for: a source that hangs may never come to it.
    if (!done) void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}
