import { authFailed } from './auth-failed.ts'
import { unlessStopped } from './within.ts'

/** A page that is still here then stays: a person may have kept it, for what they have typed. Milliseconds. */
const LEAVE_MS = 30_000

/** Leaves the page. What comes after is another page's; rejects when the page stays, or the signal aborts. */
export async function leavePage(address: string, signal: AbortSignal): Promise<never> {
  globalThis.location.assign(address)
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    return await unlessStopped(
      signal,
      () =>
        new Promise<never>((_, reject) => {
          const message = 'The page was not left for the log-in. Connect again.'
          timer = setTimeout(() => reject(authFailed(message)), LEAVE_MS)
        }),
    )
  } finally {
    clearTimeout(timer)
  }
}
