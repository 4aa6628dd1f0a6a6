import { describeThrown, isErrorData, OffstageError, type ErrorData } from '../protocol/error.ts'
import { classifyError } from '../providers/core/classify-error.ts'
import { isRetryable } from '../providers/core/retry.ts'
import { asRecord, asText } from '../providers/core/read-json.ts'

/** Converts any value that an engine throws. Its name and message determine the code (a full context, for example). */
export function engineError(thrown: unknown): ErrorData {
  if (OffstageError.is(thrown)) return thrown.toData()
  const record = asRecord(thrown)
  if (isErrorData(record)) return record
  const name = asText(record?.['name'])
  const message = describeThrown(thrown)
  if (name === 'AbortError') return { code: 'aborted', message, retryable: false }
  const code = classifyError({ labels: name ? [name] : [], message })
  return { code, message, retryable: isRetryable(code) }
}

/** Reports that the engine died. Sending the same request again starts a new engine. */
export function engineLostError(): ErrorData {
  return {
    code: 'worker-lost',
    message: 'The engine died or stopped answering, perhaps for lack of memory.',
    retryable: true,
  }
}
