import { loadPart } from '../client/load-part.ts'
import type { McpKeyStore } from './auth/options.ts'

/**
 * Completes a log-in, on the page of `auth.redirectUrl`. In a popup, it passes the answer to the page that opened it
 * and closes the window. After a redirect, pass the store of `auth`: it then holds the tokens for `connectMcp`.
 * Rejects with `mcp-auth-failed` when the answer matches no log-in that was started here.
 */
export async function finishMcpAuth(options: { readonly store?: McpKeyStore } = {}): Promise<void> {
  const { finish } = await loadPart(() => import('./auth/finish.ts'))
  await finish(options.store)
}
