import { OffstageError } from '../../protocol/error.ts'
import type { Cause } from './cause.ts'

/** Causes that lie with the page: its inline worker is what could have started. */
const OF_THE_PAGE: readonly Cause['reason'][] = ['opaque-origin', 'cross-origin', 'no-address']
const PASSING: readonly Cause['reason'][] = ['offline', 'network', 'no-answer']

/** The error for a worker that did not start, and for the inline one that was tried in its place. */
export function startError(file: Cause, inline?: Cause): OffstageError {
  const isOfPage = inline !== undefined && OF_THE_PAGE.includes(file.reason)
  const [main, other] = isOfPage ? [inline, file] : [file, inline]
  const said = [`The worker did not start: ${sentence(main.words)}`]
  // One list of policies refuses both: once is enough.
  if (other && !(main.reason === 'trusted-types' && other.reason === main.reason))
    said.push(
      isOfPage
        ? `That was the inline worker, which is used because ${sentence(other.words)}`
        : `The inline worker, which takes its place, did not start either: ${sentence(other.words)}`,
    )
  return new OffstageError('worker-load-failed', said.join(' '), {
    retryable: main.retryable ?? PASSING.includes(main.reason),
    cause: main.thrown ?? other?.thrown,
    details: {
      reason: main.reason,
      ...main.facts,
      ...(other && { [isOfPage ? 'file' : 'inline']: { reason: other.reason, ...other.facts } }),
    },
  })
}

function sentence(words: string): string {
  return /[.!?]$/.test(words) ? words : `${words}.`
}
