import type { StreamPart } from '../protocol/stream-part.ts'

/** Code of the warning that stands where a `</think>` without an opening tag stood. */
export const UNOPENED_REASONING_CODE = 'unopened-reasoning'

/** All text of the stream before this part was reasoning. Whoever collects parts moves it. */
export const UNOPENED_REASONING: Extract<StreamPart, { type: 'warning' }> = {
  type: 'warning',
  code: UNOPENED_REASONING_CODE,
  message:
    'The model closed its reasoning without opening it: the text before was reasoning, not reply.',
}

export const STRAY_CLOSER_CODE = 'stray-think-closer'

/** A `</think>` that closes nothing stood here: the text before is reply, but a call in it is reasoning. */
export const STRAY_CLOSER: Extract<StreamPart, { type: 'warning' }> = {
  type: 'warning',
  code: STRAY_CLOSER_CODE,
  message: 'The model closed reasoning that was not open: calls in its text before are thoughts.',
}
