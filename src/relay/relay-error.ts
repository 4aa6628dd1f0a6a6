/** Error types and their HTTP status. The names are the vendors' own, since clients check them. */
const STATUS = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  model_not_found: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  server_error: 502,
} as const

export interface RelayErrorOptions {
  /** Default: the type's status. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The cause, passed only to `onError`. */
  readonly cause?: unknown
}

/** The relay's own error response. */
export class RelayError extends Error {
  override readonly name: string = 'RelayError'
  readonly #type: keyof typeof STATUS
  readonly #options: RelayErrorOptions

  constructor(type: keyof typeof STATUS, message: string, options: RelayErrorOptions = {}) {
    super(message, options)
    this.#type = type
    this.#options = options
  }

  /** Response with OpenAI's and Anthropic's error shapes combined, so clients of both can read it. */
  toResponse(): Response {
    const { status = STATUS[this.#type], headers } = this.#options
    const error = { type: this.#type, code: this.#type, message: this.message }
    return Response.json(
      { type: 'error', error },
      { status, headers: { 'cache-control': 'no-store', ...headers } },
    )
  }
}

export function badRequest(message: string, options?: RelayErrorOptions): RelayError {
  return new RelayError('invalid_request_error', message, options)
}
