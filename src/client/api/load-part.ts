import { describeThrown, OffstageError } from '../../protocol/error.ts'
import { sleep } from '../../lib/sleep.ts'

/** How long to wait for a stalled server. Milliseconds. */
const LOAD_MS = 60_000

const NO_ANSWER = 'the server does not answer'

/**
 * Loads a part of the package on demand. Rejects with `worker-load-failed`, even if a bundler's loader throws instead
 * of rejecting, or never settles.
 */
export async function loadPart<Part>(
  load: () => Promise<Part>,
  /** Error that the part should diagnose. Reported if the part can't be loaded. */
  earlierError?: unknown,
): Promise<Part> {
  try {
    const part = await Promise.race([load(), sleep(LOAD_MS)])
    if (part) return part
    throw new Error(NO_ANSWER)
  } catch (thrown) {
    const cause = earlierError ?? thrown
    throw new OffstageError(
      'worker-load-failed',
      `A part of offstage could not be loaded (are all files of one release served, and allowed by the CSP?${isLoadError(thrown) ? '' : " Or did a script of the page's own throw?"}): ${describeThrown(cause)}`,
      {
        retryable: true,
        details: { reason: globalThis.navigator?.onLine === false ? 'offline' : 'import' },
        cause,
      },
    )
  }
}

/** True if the browser could not fetch the import. Errors that the module itself throws reject the import, too. */
function isLoadError(thrown: unknown): boolean {
  const message = describeThrown(thrown)
  return (
    message.includes(NO_ANSWER) || (thrown instanceof TypeError && /import|modul/i.test(message))
  )
}
