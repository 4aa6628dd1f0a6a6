/**
 * Runs work with its own abort controller, which aborts with any of the parents and when the work is over.
 * Anything that the work started and no longer waits for ends then, too.
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
