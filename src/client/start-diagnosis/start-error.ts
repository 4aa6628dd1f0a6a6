import { OffstageError } from '../../protocol/error.ts'
import type { Cause } from './cause.ts'

/** Causes that lie with the page: only its inline worker could have started. */
const OF_THE_PAGE: readonly Cause['reason'][] = ['opaque-origin', 'cross-origin', 'no-address']
const PASSING: readonly Cause['reason'][] = ['offline', 'network', 'no-answer']

/** Creates the error for a worker that did not start, and for the inline worker that was tried in its place. */
export function startError(file: Cause, inline?: Cause): OffstageError {
  const isOfPage = inline !== undefined && OF_THE_PAGE.includes(file.reason)
  const [main, other] = isOfPage ? [inline, file] : [file, inline]
  const said = [`The worker did not start: ${sentence(main.message)}`]
  // A single `trusted-types` list refuses both workers, so it is reported once.
  if (other && !(main.reason === 'trusted-types' && other.reason === main.reason))
    said.push(
      isOfPage
        ? `That was the inline worker, which is used because ${sentence(other.message)}`
        : `The inline worker, which takes its place, did not start either: ${sentence(other.message)}`,
    )
  return new OffstageError('worker-load-failed', said.join(' '), {
    retryable: main.retryable ?? PASSING.includes(main.reason),
    cause: main.thrown ?? other?.thrown,
    details: {
      reason: main.reason,
      ...main.details,
      ...(other && { [isOfPage ? 'file' : 'inline']: { reason: other.reason, ...other.details } }),
    },
  })
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
