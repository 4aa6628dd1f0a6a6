import { OffstageError } from '../../protocol/error.ts'
import { abortReasonText } from '../api/failures.ts'

/**
 * Resolves to the answer. If the signal aborts first, rejects with `aborted` at once and calls `stop`. If the signal
 * has already aborted, rejects without calling `work`.
 */
export async function untilAborted<Answer>(
  work: () => Promise<Answer>,
  signal: AbortSignal,
  stop: () => void = () => {},
): Promise<Answer> {
  const abortError = (): OffstageError =>
    new OffstageError('aborted', `It was stopped: ${abortReasonText(signal.reason)}`)
  if (signal.aborted) throw abortError()
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(abortError())
      stop()
    }
    signal.addEventListener('abort', onAbort)
    void work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort))
  })
}
