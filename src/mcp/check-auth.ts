import { badConfig } from '../client/failures.ts'
import type { McpAuthOptions } from './auth/options.ts'

/** Throws `invalid-config` if no log-in could return to this page. The user would notice only after logging in. */
export function checkAuth({ redirectUrl, mode = 'popup', store }: McpAuthOptions): void {
  const address = addressOf(redirectUrl)
  if (!address) throw badConfig('auth needs a redirectUrl: a page that calls finishMcpAuth().')
  const { origin } = globalThis
  if (typeof origin === 'string' && address.origin !== origin)
    throw badConfig(
      `redirectUrl of auth is of ${address.origin}, and this page of ${origin}: no answer could come back here.`,
    )
  if (mode !== 'popup' && mode !== 'redirect')
    throw badConfig("mode of auth is 'popup' or 'redirect'.")
  if (mode === 'redirect' && !store)
    throw badConfig(
      "mode: 'redirect' of auth needs a store, such as sessionStorage: memory is lost with the page.",
    )
}

function addressOf(url: unknown): URL | null {
  if (typeof url !== 'string' && !(url instanceof URL)) return null
  try {
    return new URL(url, globalThis.document?.baseURI)
  } catch {
    return null
  }
}
