import type { ErrorData } from '../../index.ts'
import type { Words } from '../words/words.ts'
import { inLines, inShort, type InShort } from './in-short.ts'

/** A failure in plain words, with the server's own words as its details. */
export function failureWords({ code, message }: ErrorData, { failures }: Words): InShort {
  const text = failures[code]
  return text === undefined ? inShort(message) : { text, details: inLines(message) }
}
