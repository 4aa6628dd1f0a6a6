import type { ErrorData } from '../../../index.ts'
import type { Words } from '../words/words.ts'
import { inLines, inShort, type InShort } from './in-short.ts'

/** Describes a failure in plain words. The original error message becomes the details. */
export function failureWords({ code, message }: ErrorData, { failures }: Words): InShort {
  const text = failures[code]
  return text === undefined ? inShort(message) : { text, details: inLines(message) }
}
