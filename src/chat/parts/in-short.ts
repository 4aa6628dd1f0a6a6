import { visibleText } from '../../conversation/index.ts'
import { SENTENCE_END } from './sentence-end.ts'

/** A failure as a person is told of it. */
export interface InShort {
  /** What happened. */
  readonly text: string
  /** What it may be due to, in lines, for those who look into it. Empty for none. */
  readonly details: string
}

/** A message of several lines goes on with what its first sentence may be due to; any other is short as it is. */
export function inShort(message: string): InShort {
  const at = message.includes('\n') ? message.search(SENTENCE_END) + 1 : message.length
  return {
    text: visibleText(message.slice(0, at).trim()),
    details: inLines(message.slice(at).trim()),
  }
}

/** A text of several lines, as details. */
export function inLines(text: string): string {
  return visibleText(text).replaceAll('⏎\n', '\n')
}
