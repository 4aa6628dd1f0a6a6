import { describeThrown, OffstageError } from '../protocol/error.ts'
import { asRecord } from '../providers/core/read-json.ts'

/**
 * The browser's refusal to keep a model's files, as a typed error; any other error as it is. Chromium's Cache says
 * "Unexpected internal error" in a private window, which would read as a server's error, and "Quota exceeded", which
 * would read as an unpaid bill.
 */
export function storageError(thrown: unknown): unknown {
  const name = asRecord(thrown)?.['name']
  const isFull = name === 'QuotaExceededError'
  if (!isFull && name !== 'UnknownError') return thrown
  return new OffstageError(
    isFull ? 'storage-full' : 'storage-failed',
    `The browser could not store the model's files. Use a normal window instead of a private one, free disk space, or choose a smaller model. The browser says: ${describeThrown(thrown)}`,
    { cause: thrown },
  )
}
