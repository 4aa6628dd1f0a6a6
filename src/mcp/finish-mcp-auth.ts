import { loadPart } from '../client/load-part.ts'
import type { McpKeyStore } from './auth/options.ts'

/**
 * Ends a log-in, on the page of `auth.redirectUrl`: in a popup it hands the answer to the page that opened it, and closes the
 * window. After a redirect pass the store of `auth`: the tokens are in it then, and `connectMcp` finds them. Rejects with
 * `mcp-auth-failed` when the answer belongs to no log-in that was begun here.
 */
export async function finishMcpAuth(options: { readonly store?: McpKeyStore } = {}): Promise<void> {
  const { finish } = await loadPart(() => import('./auth/finish.ts'))
  await finish(options.store)
}
