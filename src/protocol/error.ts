import type { JsonObject } from './json.ts'

/** All codes of `OffstageError`. New codes are added in minor versions. */
export type ErrorCode =
  // configuration and use
  | 'invalid-config'
  | 'unknown-provider'
  | 'invalid-input'
  | 'invalid-history'
  | 'duplicate-tool'
  | 'schema-unsupported'
  | 'schema-invalid'
  | 'no-tools-available'
  | 'conversation-busy'
  | 'conversation-not-found'
  | 'conversation-broken'
  | 'calls-pending'
  | 'ambiguous-call'
  | 'consent-refused'
  | 'other-tab'
  | 'redact-failed'
  | 'disposed'
  // the worker and the storage
  | 'worker-load-failed'
  | 'worker-lost'
  | 'worker-hung'
  | 'protocol-mismatch'
  | 'storage-failed'
  | 'storage-full'
  | 'storage-blocked'
  | 'storage-newer'
  | 'storage-offline'
  | 'storage-cleared'
  | 'ownership-lost'
  // the model's endpoint
  | 'authentication'
  | 'permission-denied'
  | 'model-not-found'
  | 'bad-request'
  | 'tools-unsupported'
  | 'context-overflow'
  | 'context-too-small'
  | 'rate-limited'
  | 'quota-exceeded'
  | 'overloaded'
  | 'server-error'
  | 'network'
  | 'blocked-by-csp'
  | 'timeout'
  | 'stream-incomplete'
  | 'response-too-large'
  | 'bad-response'
  | 'provider-error'
  | 'script-exhausted'
  // the loop
  | 'aborted'
  | 'empty-answer'
  | 'content-filtered'
  | 'invalid-tool-calls'
  | 'repeated-calls'
  | 'invalid-output'
  | 'call-failed'
  | 'answer-replaced'
  | 'crash-loop'
  | 'internal'
  // servers of MCP
  | 'mcp-error'
  | 'mcp-unsupported'
  | 'mcp-auth-failed'

/** Plain-data form of an `OffstageError`, as sent to the page and stored. Contains no secrets. */
export interface ErrorData {
  readonly code: ErrorCode
  /** Text for a developer: the problem and its solution, in at least one sentence. */
  readonly message: string
  /** Whether the same request may succeed later without a change. */
  readonly retryable: boolean
  /** Details by name, for example `{ status: 429, retryAfterMs: 2000 }`. */
  readonly details?: JsonObject
}

export interface ErrorOptions {
  readonly retryable?: boolean
  readonly details?: JsonObject
  /** The original error. Available only in the thread where the error was made. */
  readonly cause?: unknown
}

const brand = 'OffstageError'

/** The only error class. Test with `OffstageError.is(e)`: `instanceof` fails for errors of other realms. */
export class OffstageError extends Error {
  override readonly name: string = brand
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly details: JsonObject | undefined

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryable = options.retryable ?? false
    this.details = options.details
  }

  static is(value: unknown): value is OffstageError {
    return (
      typeof value === 'object' &&
      value !== null &&
      'code' in value &&
      'name' in value &&
      value.name === brand
    )
  }

  static fromData(data: ErrorData): OffstageError {
    return new OffstageError(data.code, data.message, {
      retryable: data.retryable,
      ...(data.details && { details: data.details }),
    })
  }

  toData(): ErrorData {
    return {
      code: this.code,
      message: this.message,
      retryable: this.retryable,
      ...(this.details && { details: this.details }),
    }
  }
}

/**
 * Converts any thrown value to plain error data. Values other than an `OffstageError` or its data get the code
 * `internal`.
 */
export function toErrorData(thrown: unknown): ErrorData {
  if (OffstageError.is(thrown)) return thrown.toData()
  if (isErrorData(thrown)) return thrown
  return { code: 'internal', message: describeThrown(thrown), retryable: false }
}

export function isErrorData(value: unknown): value is ErrorData {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    'message' in value &&
    'retryable' in value &&
    typeof value.code === 'string' &&
    typeof value.message === 'string'
  )
}

/** Returns text for any thrown value: an error's message, a string itself, otherwise its JSON or type. */
export function describeThrown(value: unknown): string {
  const thrown: unknown = value instanceof Error ? value.message || value.name : value
  if (typeof thrown === 'string') return thrown
  if (thrown === undefined) return 'undefined was thrown'
  try {
    return JSON.stringify(thrown) ?? String(thrown)
  } catch {
    return Object.prototype.toString.call(thrown)
  }
}
