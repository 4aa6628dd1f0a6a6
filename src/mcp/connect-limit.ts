import { OffstageError } from '../protocol/error.ts'

/** Time for the server to answer while connecting, without the person's log-in. Milliseconds. */
const CONNECT_MS = 30_000
/** Time for a person to log in. Milliseconds. */
const LOG_IN_MS = 10 * 60_000

/** Time limit for connecting. A person's log-in has its own, longer limit. */
export interface ConnectLimit {
  /** Aborts with `timeout`. */
  readonly signal: AbortSignal
  /** Runs a log-in. The server's time starts again afterwards. */
  duringLogIn<Result>(logIn: () => Promise<Result>): Promise<Result>
  /** Ends the limit once connected. The signal no longer aborts. */
  end(): void
}

export function createConnectLimit(): ConnectLimit {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  const limitTo = (ms: number, message: string): void => {
    clearTimeout(timer)
    if (isOver) return
    timer = setTimeout(() => {
      controller.abort(new OffstageError('timeout', message, { retryable: true }))
    }, ms)
  }
  const limitToServer = (): void => limitTo(CONNECT_MS, 'The MCP server did not answer in time.')
  limitToServer()
  return {
    signal: controller.signal,
    async duringLogIn(logIn) {
      limitTo(LOG_IN_MS, 'The log-in took too long.')
      try {
        return await logIn()
      } finally {
        limitToServer()
      }
    },
    end() {
      isOver = true
      clearTimeout(timer)
    },
  }
}
