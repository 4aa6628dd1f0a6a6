import type { ErrorData } from '../../protocol/error.ts'
import { bodyError, plainText } from './provider-error.ts'
import { incompleteError } from './transport-error.ts'

const MAX_WORDS = 4_000

const KEEP_ALIVE =
  /^\W*(?:keep[- ]?alive|(?:still )?(?:processing|waiting|working)|ping|heart ?beat)\W*$/i

/** What a stream holds beside its format, with the next piece of it: lines of text are put together. */
export function addStray(before: unknown, next: unknown): unknown {
  if (typeof next !== 'string') return strayError(before) ? before : next
  if (KEEP_ALIVE.test(next) || !/\S\s+\S/.test(next.trim())) return before ?? next
  if (typeof before !== 'string' || !strayError(before)) return strayError(before) ? before : next
  return `${before}\n${next}`.slice(0, MAX_WORDS)
}

/**
 * The error that something beside the format may be, where nothing after it proves that the answer is
 * whole: an error in a form of its own, or plain words. Words that stand alone are no sentence.
 */
export function strayError(stray: unknown): ErrorData | undefined {
  if (typeof stray !== 'string') return readable(bodyError(stray))
  const words = plainText(stray)
  return /\S\s+\S/.test(words) && !KEEP_ALIVE.test(words)
    ? readable(bodyError({ message: words }))
    : undefined
}

/** What says nothing about its kind counts like any other end without proof. */
function readable(error: ErrorData | undefined): ErrorData | undefined {
  return error?.code === 'provider-error' ? incompleteError(error.message) : error
}

/** An answer under status 200 that is none of its format: an error in a form of its own, or nothing. */
export function noAnswer(format: string, stray: unknown): ErrorData {
  const error = typeof stray === 'string' ? strayError(stray) : bodyError(stray)
  if (error && error.code !== 'stream-incomplete') return error
  return {
    code: 'bad-response',
    message: `The endpoint's answer is no ${format}: ${JSON.stringify(stray ?? null).slice(0, 300)}.`,
    retryable: stray === undefined,
  }
}
