import type { StreamPart } from '../protocol/message.ts'

/** Warning in place of a `</think>` without an opening tag. */
export const UNOPENED_REASONING_CODE = 'unopened-reasoning'

/** Marks all text before this part as reasoning. The code that collects parts must move it. */
export const UNOPENED_REASONING: Extract<StreamPart, { type: 'warning' }> = {
  type: 'warning',
  code: UNOPENED_REASONING_CODE,
  message:
    'The model closed its reasoning without opening it: the text before was reasoning, not reply.',
}

export const STRAY_CLOSER_CODE = 'stray-think-closer'

/** Replaces a stray `</think>`: the text before it is reply, but calls in that text are reasoning. */
export const STRAY_CLOSER: Extract<StreamPart, { type: 'warning' }> = {
  type: 'warning',
  code: STRAY_CLOSER_CODE,
  message: 'The model closed reasoning that was not open: calls in the text before are not run.',
}
