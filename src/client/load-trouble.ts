import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { StartFailure } from './start-failure.ts'
import type * as trouble from './start-trouble/start-trouble.ts'

/** Loads what is needed only when a worker doesn't start; without it, the error says what shows by itself. */
export async function loadTrouble({ thrown }: StartFailure): Promise<typeof trouble> {
  try {
    return await import('./start-trouble/start-trouble.ts')
  } catch (missing) {
    const cause = thrown ?? missing
    throw new OffstageError(
      'worker-load-failed',
      `The worker did not start: ${describeThrown(cause)}`,
      {
        retryable: true,
        details: { reason: navigator.onLine === false ? 'offline' : 'import' },
        cause,
      },
    )
  }
}
