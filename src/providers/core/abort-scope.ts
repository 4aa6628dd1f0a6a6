import type { ErrorData } from '../../protocol/error.ts'
import { abortedError } from './transport-error.ts'

/**
 * The life of one request. It ends with the caller's signal or with `fail`, whichever is first. Then `signal`
 * aborts and every promise from `guard` resolves.
 */
export interface AbortScope {
  readonly signal: AbortSignal
  failure(): ErrorData | undefined
  fail(error: ErrorData): void
  /** The promise's outcome, or undefined once the scope has ended. */
  guard<T>(promise: Promise<T>): Promise<T | undefined>
  /** Sets the only listener. Called when the scope ends, or at once if it has ended. */
  onEnd(listener: () => void): void
  /** Stops listening to the caller's signal. */
  release(): void
}

export function createAbortScope(outer: AbortSignal | undefined): AbortScope {
  const controller = new AbortController()
  let failure: ErrorData | undefined
  let listener: (() => void) | undefined
  let end: () => void = () => {}
  const ended = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined)
  })

  function fail(error: ErrorData): void {
    if (failure) return
    failure = error
    controller.abort()
    end()
    listener?.()
  }

  const onAbort = (): void => {
    if (outer) fail(abortedError(outer))
  }
  if (outer?.aborted) onAbort()
  else outer?.addEventListener('abort', onAbort)

  return {
    signal: controller.signal,
    failure: () => failure,
    fail,
    guard: (promise) => Promise.race([promise, ended]),
    onEnd(onEnd) {
      listener = onEnd
      if (failure) onEnd()
    },
    release() {
      outer?.removeEventListener('abort', onAbort)
    },
  }
}
