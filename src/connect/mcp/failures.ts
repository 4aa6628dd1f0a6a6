import { cleanUntrustedText } from '../../lib/invisible.ts'
import { toOffstageError } from '../../client/api/failures.ts'
import { type ErrorCode, type ErrorOptions, OffstageError } from '../../protocol/error.ts'
import type { RpcError } from './wire.ts'

/** Maximum characters of a server's text in an error. */
const MAX_TEXT = 2000

/** Error for a server's refusal, with its message. */
export function refusedBy(source: string, { code, message }: RpcError): OffstageError {
  const reason = sanitizeText(message) || 'no reason'
  return new OffstageError('mcp-error', `${source} refused: ${reason} (${code})`, {
    details: { rpcCode: Number.isFinite(code) ? code : 0 },
  })
}

export function badAnswer(source: string, problem: string, options?: ErrorOptions): OffstageError {
  return new OffstageError('bad-response', `${source} ${problem}`, options)
}

export function unsupported(message: string): OffstageError {
  return new OffstageError('mcp-unsupported', message)
}

/** Error for a request whose signal was aborted. */
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

/** Codes that prove an answer from the server, so the outcome of the call is known. */
const ANSWERS: ReadonlySet<ErrorCode> = new Set([
  'mcp-error',
  'authentication',
  'permission-denied',
])

/** Error of a call that was sent. Unless the server answered, its effect is unknown. */
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

/** A server's text, without hidden characters and cut to a length. */
export function sanitizeText(text: string, limit: number = MAX_TEXT): string {
  const visible = cleanUntrustedText(text)
  return visible.length > limit ? `${visible.slice(0, limit - 1)}…` : visible
}

/** A server's text on one line, so that no line of it can look like somebody else's. */
export function sanitizeLine(text: string, limit?: number): string {
  return sanitizeText(text.replace(/\s+/g, ' ').trim(), limit)
}
