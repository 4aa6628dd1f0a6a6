import { authFailed } from './auth-failed.ts'
import { unlessStopped } from './within.ts'

/** Milliseconds until the navigation counts as cancelled: the user may have stayed to keep unsaved input. */
const LEAVE_MS = 30_000

/** Navigates away and never resolves. Rejects if the page stays, or the signal aborts. */
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
