import { isRecord } from '../../../lib/shape.ts'
import { pageFetch } from '../page-fetch.ts'
import { answeredInTime, authFailed } from './read-document.ts'
import {
  keysOf,
  LOG_IN,
  noTokens,
  parsed,
  requestTokens,
  type AuthMessage,
  CHANNEL,
  type LogIn,
  readAuthorizationCode,
} from './code-flow.ts'
import type { McpKeyStore } from '../options.ts'

/** Implements `finishMcpAuth`. */
export async function finish(store: McpKeyStore | undefined): Promise<void> {
  const query = globalThis.location.search
  // Removes the code from the address, so that nobody can read it there later.
  globalThis.history.replaceState(null, '', globalThis.location.pathname)
  if (!store) {
    const channel = new BroadcastChannel(CHANNEL)
    channel.postMessage({ query } satisfies AuthMessage)
    channel.close()
    globalThis.close()
    return
  }
  const kept = parsed(await store.getItem(LOG_IN))
  // Removed first, so that it's used only once, even after a failure.
  await store.removeItem(LOG_IN)
  if (!isRecord(kept)) throw authFailed('No log-in was begun here.')
  const logIn = kept as unknown as LogIn
  const { server, clientId, verifier, redirectUrl, url } = logIn
  const code = readAuthorizationCode(query, logIn)
  const parameters = {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: redirectUrl,
  }
  const about = { server, clientId }
  const tokens = await answeredInTime(new AbortController().signal, (signal) =>
    requestTokens(parameters, about, { fetch: pageFetch, signal }),
  )
  if (!('access' in tokens)) throw noTokens(server, tokens)
  await store.setItem(keysOf(new URL(url)).tokens, JSON.stringify(tokens))
}
