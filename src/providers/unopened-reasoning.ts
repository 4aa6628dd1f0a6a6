import type { StreamPart } from '../protocol/message.ts'

/** Warning in place of a `</think>` without an opening tag. */
export const UNOPENED_REASONING_CODE = 'unopened-reasoning'

/** Marks all text before this part as reasoning. The code that collects parts must move it. */
export const UNOPENED_REASONING: Extract<StreamPart, { type: 'warning' }> = {
  type: 'warning',
  code: UNOPENED_REASONING_CODE,
  message: 'The output closed reasoning that it never opened: the text before it was reasoning.',
}

export const STRAY_CLOSER_CODE = 'stray-think-closer'

/** Replaces a stray `</think>`: the text before it is reply, but calls in that text are reasoning. */
export const STRAY_CLOSER: Extract<StreamPart, { type: 'warning' }> = {
  type: 'warning',
  code: STRAY_CLOSER_CODE,
  message: 'The output closed reasoning that it never opened: calls before that are not run.',
}
