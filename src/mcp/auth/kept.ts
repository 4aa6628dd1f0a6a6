import { isRecord } from '../../lib/shape.ts'
import type { McpKeyStore } from './options.ts'
import type { Tokens } from './tokens.ts'

/** Of a log-in for which the page was left: one at a time. */
export const LOG_IN = 'offstage-mcp:log-in'

export interface Keys {
  readonly tokens: string
  readonly client: string
}

/** A server may tell its tenants apart by the query. */
export function keysOf({ origin, pathname, search }: URL): Keys {
  const key = `offstage-mcp:${origin}${pathname}${search}`
  return { tokens: `${key}:tokens`, client: `${key}:client` }
}

/** Null: none are kept. */
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
