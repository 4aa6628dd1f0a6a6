import { isRecord } from '../../../lib/shape.ts'
import { pageFetch } from '../page-fetch.ts'
import { authFailed } from './read-document.ts'
import {
  type AuthMessage,
  CHANNEL,
  endLogIn,
  LOG_IN,
  type LogIn,
  parseOrNull,
} from './code-flow.ts'
import type { McpKeyStore } from '../options.ts'

/** Implements `finishMcpAuth`. */
export async function finish(store: McpKeyStore | undefined): Promise<void> {
  const query = globalThis.location.search
  // Removes the code from the URL, so that it can't be read there later.
  globalThis.history.replaceState(null, '', globalThis.location.pathname)
  if (!store) {
    const channel = new BroadcastChannel(CHANNEL)
    channel.postMessage({ query } satisfies AuthMessage)
    channel.close()
    globalThis.close()
    return
  }
  const logIn = parseOrNull(await store.getItem(LOG_IN))
  // Removes the log-in first, so that it's used only once, even after a failure.
  await store.removeItem(LOG_IN)
  if (!isRecord(logIn)) throw authFailed('No log-in was begun here.')
  const { signal } = new AbortController()
  await endLogIn(query, logIn as unknown as LogIn, { store, fetch: pageFetch, signal })
}
