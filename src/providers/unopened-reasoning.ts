import type { StreamPart } from '../protocol/message.ts'

/** Warning that replaces a `</think>` without an opening tag. */
export const UNOPENED_REASONING_CODE = 'unopened-reasoning'

/** Turns all text before this part into reasoning. The code that collects parts must move the text. */
export const UNOPENED_REASONING: Extract<StreamPart, { type: 'warning' }> = {
  type: 'warning',
  code: UNOPENED_REASONING_CODE,
  message: 'The output closed reasoning that it never opened: the text before it was reasoning.',
}

export const STRAY_CLOSER_CODE = 'stray-think-closer'

/** Replaces a stray `</think>`. The text before it stays reply, but calls in that text count as reasoning. */
export const STRAY_CLOSER: Extract<StreamPart, { type: 'warning' }> = {
  type: 'warning',
  code: STRAY_CLOSER_CODE,
  message: 'The output closed reasoning that it never opened: calls before that are not run.',
}
