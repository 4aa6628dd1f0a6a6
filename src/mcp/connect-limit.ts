import { OffstageError } from '../protocol/error.ts'

/** Milliseconds until a server has answered the first questions, a person's log-in aside. */
const CONNECT_MS = 30_000
/** So long a person may take to log in. Milliseconds. */
const LOG_IN_MS = 10 * 60_000

/** How long connecting may take: longer only while a person logs in. */
export interface ConnectLimit {
  /** Aborts with `timeout`. */
  readonly signal: AbortSignal
  /** Runs a log-in; afterwards, the server has its time anew. */
  duringLogIn<Result>(logIn: () => Promise<Result>): Promise<Result>
  /** Connecting is over: it aborts no more. */
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
