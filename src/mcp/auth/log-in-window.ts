import { authFailed } from './auth-failed.ts'
import { type AuthMessage, CHANNEL, type LogInStart } from './log-in.ts'
import { unlessStopped } from './within.ts'

/** How often the window is looked at. Milliseconds. */
const LOOK_MS = 250
/** Its message may be on the way when it is closed. Milliseconds. */
const MESSAGE_MS = 1000

/** Opens a window in which the person logs in, and resolves to the query that it came back with. */
export async function logInByWindow(
  { address, logIn }: LogInStart,
  signal: AbortSignal,
): Promise<string> {
  const opened = globalThis.open?.(address, '_blank', 'popup,width=520,height=720')
  if (!opened)
    throw authFailed('The window for the log-in was blocked. Connect in the handler of a press.')
  // Before it is anybody else's: whose page is shown in it can't take this one elsewhere.
  opened.opener = null
  // By a channel of this origin, not by messages between windows: other origins can't post there.
  const channel = new BroadcastChannel(CHANNEL)
  let looking: ReturnType<typeof setInterval> | undefined
  try {
    return await unlessStopped(
      signal,
      () =>
        new Promise<string>((resolve, reject) => {
          channel.addEventListener('message', ({ data }: MessageEvent<AuthMessage>) => {
            const query = typeof data?.query === 'string' ? data.query : ''
            // An answer to another log-in is another's business.
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
 * Calls back when the person has closed the window. A page with `Cross-Origin-Opener-Policy` in it looks closed, too, from
 * the moment on that it is shown, and nothing more is known of it. But then this page doesn't get the focus, as it does
 * when the window in front of it is closed.
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
