const aborts = new WeakMap<AbortSignal, Promise<void>>()

/** Resolves when the signal aborts. Repeated calls for a signal share one listener. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  const existing = aborts.get(signal)
  if (existing) return existing
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  aborts.set(signal, aborted)
  return aborted
}

/**
 * Returns a signal that aborts with the first of the others, or with a `TimeoutError` after `ms` milliseconds. Also
 * works in Node 20, where the garbage collector may remove a plain timeout inside `AbortSignal.any`, so that it never
 * fires.
 */
export function signalWithin(ms: number, ...signals: AbortSignal[]): AbortSignal {
  // Timers accept no longer times: `Infinity`, for example, would throw or fire at once.
  const time = AbortSignal.timeout(Math.min(ms, 2 ** 31 - 1))
  // A listener keeps the timeout from being garbage-collected before it aborts.
  time.addEventListener('abort', () => undefined)
  return AbortSignal.any([time, ...signals])
}

/** Yields the items until the signal aborts, even if the source ignores the signal. */
export async function* untilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  let stop = (): void => undefined
  const abort = (): void => stop()
  // Avoids `Promise.race` with one shared promise, which would keep every item in memory until the signal aborts.
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
    // Doesn't await the source's clean-up: a hung source would never finish it.
    if (!done) void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}
