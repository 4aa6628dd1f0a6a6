import { isRecord } from '../../lib/shape.ts'

/** The revision that is tried first, without sessions. https://modelcontextprotocol.io/specification/2026-07-28 */
export const MODERN = '2026-07-28'

/** Revisions with a handshake, newest first. https://modelcontextprotocol.io/specification/2025-11-25 */
export const LEGACY: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26']

/** Error codes of JSON-RPC and of MCP's revision 2026-07-28 (basic/index, "Error Codes"). */
export const RPC = {
  methodNotFound: -32601,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const

export const CLIENT_INFO = { name: 'offstage', version: '0.1.0' } as const

export type Fields = Readonly<Record<string, unknown>>

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** An incoming message, by its type. */
export type Incoming =
  | { readonly type: 'result'; readonly id: unknown; readonly result: Fields }
  | { readonly type: 'error'; readonly id: unknown; readonly error: RpcError }
  | {
      readonly type: 'request'
      readonly id: string | number
      readonly method: string
      readonly params: Fields
    }
  | { readonly type: 'notification'; readonly method: string; readonly params: Fields }

/** Reads a message; null when it isn't JSON-RPC 2.0. */
export function readMessage(value: unknown): Incoming | null {
  if (!isRecord(value) || value.jsonrpc !== '2.0') return null
  const { id, method, result, error } = value
  const params = isRecord(value.params) ? value.params : {}
  if (typeof method === 'string')
    return typeof id === 'string' || typeof id === 'number'
      ? { type: 'request', id, method, params }
      : { type: 'notification', method, params }
  if (isRecord(result)) return { type: 'result', id, result }
  if (!isRecord(error)) return null
  const { code, message, data } = error
  return {
    type: 'error',
    id,
    error: { code: Number(code), message: typeof message === 'string' ? message : '', data },
  }
}
