import type { RunOutcome } from '../../index.ts'
import type { Words } from '../words/words.ts'

/** Why the answer of a completed run isn't whole, in words. Undefined: it is. */
export function endingWords(
  { finishReason }: Extract<RunOutcome, { readonly outcome: 'completed' }>,
  words: Words,
): string | undefined {
  return finishReason && (words.endings[finishReason] ?? words.announceStopped)
}
