import { isRecord } from '../../lib/shape.ts'
import type { McpKeyStore } from './options.ts'
import type { Tokens } from './tokens.ts'

/** Key of the log-in for which the person left the page. Only one is kept. */
export const LOG_IN = 'offstage-mcp:log-in'

export interface Keys {
  readonly tokens: string
  readonly client: string
}

/** Keys for a server's tokens and client. They include the query, by which a server may distinguish its tenants. */
export function keysOf({ origin, pathname, search }: URL): Keys {
  const key = `offstage-mcp:${origin}${pathname}${search}`
  return { tokens: `${key}:tokens`, client: `${key}:client` }
}

/** Reads the stored tokens; null if there are none. */
export async function readKept(store: McpKeyStore, key: string): Promise<Tokens | null> {
  const value = parsed(await store.getItem(key))
  return isRecord(value) && typeof value.access === 'string' && isRecord(value.server)
    ? (value as unknown as Tokens)
    : null
}

export function parsed(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}
