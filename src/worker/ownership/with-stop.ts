/**
 * Runs work with a controller of its own, which aborts with any of the parents and when the work is over:
 * what the work began, and waits for no longer, ends with it.
 */
export async function withStop<T>(
  parents: readonly AbortSignal[],
  work: (stop: AbortController) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const abort = (): void => stop.abort()
  for (const parent of parents) {
    if (parent.aborted) abort()
    parent.addEventListener('abort', abort)
  }
  try {
    return await work(stop)
  } finally {
    for (const parent of parents) parent.removeEventListener('abort', abort)
    abort()
  }
}
