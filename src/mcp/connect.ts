import { checkAuth } from './check-auth.ts'
import { checkOptions } from './check-options.ts'
import { type ConnectLimit, createConnectLimit } from './connect-limit.ts'
import { stopped } from './failures.ts'
import { openLine } from './http.ts'
import { openServer } from './open-server.ts'
import type { McpOptions } from './options.ts'
import { type McpServer, serveLine } from './server.ts'

/** Most bytes of one answer, by default. */
export const MAX_BYTES = 1_000_000

/** Implements `connectMcp`. */
export async function connect(options: McpOptions): Promise<McpServer> {
  checkOptions(options)
  if (options.auth) checkAuth(options.auth)
  const limit = createConnectLimit()
  try {
    return await connectWithin(options, limit)
  } finally {
    limit.end()
  }
}

async function connectWithin(options: McpOptions, limit: ConnectLimit): Promise<McpServer> {
  const { signal, maxResultBytes = MAX_BYTES, elicitation } = options
  const http = openLine(options, limit.duringLogIn)
  const within = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal
  if (within.aborted) throw stopped(within)
  const revision = { maxBytes: maxResultBytes, elicits: elicitation !== undefined }
  const line = await openServer(http, revision, within)
  const address = new URL(options.url, globalThis.document?.baseURI)
  const server = await closedOn(
    within,
    () => line.close(),
    () =>
      serveLine(line, options, {
        address: address.origin + address.pathname,
        connecting: within,
      }),
  )
  signal?.addEventListener('abort', () => void server.close(), { once: true })
  return server
}

/** Runs `work`. If it fails or the signal aborts, closes the session. */
async function closedOn<Result>(
  signal: AbortSignal,
  close: () => Promise<void>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const stop = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(stopped(signal)), { once: true })
    })
    return await Promise.race([work(), stop])
  } catch (thrown) {
    await close()
    throw thrown
  }
}
