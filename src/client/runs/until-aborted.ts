import { OffstageError } from '../../protocol/error.ts'
import { abortReasonText } from '../api/failures.ts'

/**
 * Resolves to the answer. If the signal aborts first, rejects with `aborted` at once and calls `stop`. If the signal
 * has already aborted, rejects without calling `ask`.
 */
export async function untilAborted<Answer>(
  ask: () => Promise<Answer>,
  signal: AbortSignal,
  stop: () => void = () => {},
): Promise<Answer> {
  const aborted = (): OffstageError =>
    new OffstageError('aborted', `It was stopped: ${abortReasonText(signal.reason)}`)
  if (signal.aborted) throw aborted()
  return new Promise((resolve, reject) => {
    const end = (): void => {
      reject(aborted())
      stop()
    }
    signal.addEventListener('abort', end)
    void ask()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', end))
  })
}
