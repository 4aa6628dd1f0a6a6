/** Why a page tool refused or failed. Minor versions may add codes. */
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

  /** Works across realms, unlike `instanceof`. */
  static is(value: unknown): value is PageError {
    return value instanceof Error && value.name === 'PageError'
  }
}
