import { authFailed } from './auth-failed.ts'
import { type AuthMessage, CHANNEL, type LogInStart } from './log-in.ts'
import { unlessStopped } from './within.ts'

/** How often the window is checked. Milliseconds. */
const LOOK_MS = 250
/** Time after the window was closed in which its message may still arrive. Milliseconds. */
const MESSAGE_MS = 1000

/** Opens a window in which the person logs in. Resolves to the query of the redirect. */
export async function logInByWindow(
  { address, logIn }: LogInStart,
  signal: AbortSignal,
): Promise<string> {
  const opened = globalThis.open?.(address, '_blank', 'popup,width=520,height=720')
  if (!opened)
    throw authFailed('The window for the log-in was blocked. Connect in the handler of a press.')
  // Cleared before another site's page loads in the window, so that it can't navigate this page.
  opened.opener = null
  // A channel of this origin, because other origins can post window messages but not channel messages.
  const channel = new BroadcastChannel(CHANNEL)
  let looking: ReturnType<typeof setInterval> | undefined
  try {
    return await unlessStopped(
      signal,
      () =>
        new Promise<string>((resolve, reject) => {
          channel.addEventListener('message', ({ data }: MessageEvent<AuthMessage>) => {
            const query = typeof data?.query === 'string' ? data.query : ''
            // Answers to other log-ins are ignored.
            if (new URLSearchParams(query).get('state') === logIn.state) resolve(query)
          })
          looking = watchWindow(opened, () =>
            reject(authFailed('The window for the log-in was closed.')),
          )
        }),
    )
  } finally {
    clearInterval(looking)
    channel.close()
    opened.close()
  }
}

/**
 * Calls back when the person has closed the window. A page with `Cross-Origin-Opener-Policy` looks closed as soon as it
 * is shown. In that case this page doesn't get the focus, as it does when the window in front of it is closed.
 */
function watchWindow(opened: Window, onClosed: () => void): ReturnType<typeof setInterval> {
  let wasBehind = false
  let looksLeft = MESSAGE_MS / LOOK_MS
  const timer = setInterval(() => {
    const isBehind = globalThis.document?.hasFocus() !== true
    if (!opened.closed) {
      wasBehind = isBehind
      return
    }
    looksLeft -= 1
    if (looksLeft > 0) return
    clearInterval(timer)
    if (wasBehind && !isBehind) onClosed()
  }, LOOK_MS)
  return timer
}
