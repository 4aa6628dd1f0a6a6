import type { ErrorData } from '../../protocol/error.ts'
import { bodyError, plainText } from './provider-error.ts'
import { incompleteError } from './transport-error.ts'

const MAX_WORDS = 4_000

const KEEP_ALIVE =
  /^\W*(?:keep[- ]?alive|(?:still )?(?:processing|waiting|working)|ping|heart ?beat)\W*$/i

/** Collects data that a stream carries outside of its format. Lines of text are joined. */
export function addStray(before: unknown, next: unknown): unknown {
  if (typeof next !== 'string') return strayError(before) ? before : next
  if (KEEP_ALIVE.test(next) || !/\S\s+\S/.test(next.trim())) return before ?? next
  if (typeof before !== 'string' || !strayError(before)) return strayError(before) ? before : next
  return `${before}\n${next}`.slice(0, MAX_WORDS)
}

/**
 * Returns the error in stray data, if nothing after it proves the answer complete: an error in an unknown form, or
 * plain words. A single word is no error.
 */
export function strayError(stray: unknown): ErrorData | undefined {
  if (typeof stray !== 'string') return readable(bodyError(stray))
  const words = plainText(stray)
  return /\S\s+\S/.test(words) && !KEEP_ALIVE.test(words)
    ? readable(bodyError({ message: words }))
    : undefined
}

/** Treats an error of unknown kind like any other unproven end. */
function readable(error: ErrorData | undefined): ErrorData | undefined {
  return error?.code === 'provider-error' ? incompleteError(error.message) : error
}

/** Returns the error of a 2xx answer in another format: the error it holds, else `bad-response`. */
export function noAnswer(format: string, stray: unknown): ErrorData {
  const error = typeof stray === 'string' ? strayError(stray) : bodyError(stray)
  if (error && error.code !== 'stream-incomplete') return error
  return {
    code: 'bad-response',
    message: `The endpoint's answer is no ${format}: ${JSON.stringify(stray ?? null).slice(0, 300)}.`,
    retryable: stray === undefined,
  }
}
