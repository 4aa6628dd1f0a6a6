import { visibleText } from '../../../conversation/index.ts'
import { SENTENCE_END } from './sentence-end.ts'

/** A failure as it is shown to a person. */
export interface InShort {
  /** The failure in short. */
  readonly text: string
  /** Possible causes, in lines, for those who look into them; empty for none. */
  readonly details: string
}

/**
 * Splits a message of several lines after its first sentence: the rest names possible causes. Other messages stay
 * whole.
 */
export function inShort(message: string): InShort {
  const at = message.includes('\n') ? message.search(SENTENCE_END) + 1 : message.length
  return {
    text: visibleText(message.slice(0, at).trim()),
    details: inLines(message.slice(at).trim()),
  }
}

/** Makes invisible characters visible, and keeps the lines. */
export function inLines(text: string): string {
  return visibleText(text).replaceAll('⏎\n', '\n')
}
