/** Why a page tool refused or failed. New codes are minor versions. */
export type PageErrorCode =
  | 'unknown-ref'
  | 'stale-ref'
  | 'not-found'
  | 'ambiguous'
  | 'hidden'
  | 'disabled'
  | 'covered'
  | 'outside'
  | 'unconfirmed'
  | 'read-only'
  | 'refused-value'
  | 'unsupported'
  | 'timeout'
  | 'invalid-input'

/** Thrown by page tools. The message is for the model: what is wrong and what to do next. */
export class PageError extends Error {
  override readonly name: string = 'PageError'
  readonly code: PageErrorCode

  constructor(code: PageErrorCode, message: string) {
    super(message)
    this.code = code
  }

  /** Use in place of `instanceof`: realms differ. */
  static is(value: unknown): value is PageError {
    return value instanceof Error && value.name === 'PageError'
  }
}
