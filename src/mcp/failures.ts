import { withoutHidden } from '../lib/invisible.ts'
import { toOffstageError } from '../client/failures.ts'
import { type ErrorCode, OffstageError } from '../protocol/error.ts'
import type { RpcError } from './wire.ts'

/** Characters of a server's words in an error. */
const MAX_WORDS = 2000

/** What a server refused with, in its words. */
export function refusedBy(source: string, { code, message }: RpcError): OffstageError {
  const words = shortWords(message) || 'no reason'
  return new OffstageError('mcp-error', `${source} refused: ${words} (${code})`, {
    details: { rpcCode: Number.isFinite(code) ? code : 0 },
  })
}

export function badAnswer(source: string, what: string): OffstageError {
  return new OffstageError('bad-response', `${source} ${what}`)
}

export function unsupported(message: string): OffstageError {
  return new OffstageError('mcp-unsupported', message)
}

/** Why a request was given up. */
export function stopped({ reason }: Pick<AbortSignal, 'reason'>): OffstageError {
  if (OffstageError.is(reason)) return reason
  return reason instanceof DOMException && reason.name === 'TimeoutError'
    ? new OffstageError('timeout', 'The MCP server did not answer in time.', { retryable: true })
    : new OffstageError('aborted', 'The request to the MCP server was stopped.')
}

export function cutOff(source: string): OffstageError {
  return new OffstageError('stream-incomplete', `The answer of ${source} was cut off.`, {
    retryable: true,
  })
}

/** With these a server says itself that it did nothing, or what came of it. */
const ANSWERS: ReadonlySet<ErrorCode> = new Set([
  'mcp-error',
  'authentication',
  'permission-denied',
])

/** The failure of a call that was sent: unless it is the server's answer, nobody knows what the server did. */
export function afterSending(thrown: unknown): OffstageError {
  const failure = toOffstageError(thrown)
  if (ANSWERS.has(failure.code)) return failure
  const { code, message, retryable, details } = failure
  return new OffstageError(
    code,
    `${message} The call was sent: it may or may not have taken effect.`,
    { retryable, ...(details && { details }), cause: thrown },
  )
}

/** A server's words, visible and within bounds. */
export function shortWords(text: string, limit: number = MAX_WORDS): string {
  const visible = withoutHidden(text)
  return visible.length > limit ? `${visible.slice(0, limit - 1)}…` : visible
}

/** The same on one line, so that it can't look like a line of somebody else's. */
export function shortLine(text: string, limit?: number): string {
  return shortWords(text.replace(/\s+/g, ' ').trim(), limit)
}
