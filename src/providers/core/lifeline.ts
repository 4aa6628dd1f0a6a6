import type { ErrorData } from '../../protocol/error.ts'
import { abortedError } from './transport-error.ts'

/**
 * Whether one request may go on. It ends by the caller's signal or by `fail`, whichever is first;
 * then `signal` is aborted and every wait under `guard` is over.
 */
export interface Lifeline {
  readonly signal: AbortSignal
  failure(): ErrorData | undefined
  fail(error: ErrorData): void
  /** The promise's outcome, or undefined once the lifeline is cut. */
  guard<T>(promise: Promise<T>): Promise<T | undefined>
  /** Called at once when it is cut. One listener. */
  onCut(listener: () => void): void
  /** Stops listening to the caller's signal. */
  release(): void
}

export function createLifeline(outer: AbortSignal | undefined): Lifeline {
  const controller = new AbortController()
  let failure: ErrorData | undefined
  let listener: (() => void) | undefined
  let cut: () => void = () => {}
  const isCut = new Promise<undefined>((resolve) => {
    cut = () => resolve(undefined)
  })

  function fail(error: ErrorData): void {
    if (failure) return
    failure = error
    controller.abort()
    cut()
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
    guard: (promise) => Promise.race([promise, isCut]),
    onCut(onCut) {
      listener = onCut
      if (failure) onCut()
    },
    release() {
      outer?.removeEventListener('abort', onAbort)
    },
  }
}
