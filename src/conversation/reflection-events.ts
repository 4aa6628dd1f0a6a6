import type { ErrorData } from '../protocol/error.ts'
import type { RunEventBody } from '../protocol/event.ts'
import type { RowOf } from '../protocol/fact.ts'
import type { ConversationState } from '../protocol/state.ts'
import { finishingCall } from './result.ts'

const REPLACED: ErrorData = {
  code: 'answer-replaced',
  message: 'The answer was reflected on, and a better one takes its place.',
  retryable: false,
}

/** The events of a reflection: of a text that takes the answer's place, it withdraws what was shown and gives the new one. */
export function reflectionEvents(
  row: RowOf<'answer-reflected'>,
  { path }: ConversationState,
): RunEventBody[] {
  const { type, step, messageId, mode, text } = row
  if (text === null) return []
  const answer = path.findLast(({ id }) => id === messageId)
  // What `finish_task` was given was shown as that call's.
  const isShown = mode === 'replace' && answer !== undefined && !finishingCall(answer)
  const partId = `${step}.reflection`
  return [
    ...(isShown
      ? ([
          { type: 'step-reset', step, reason: REPLACED },
          { type: 'text-start', partId },
          { type: 'text-delta', partId, delta: text },
          { type: 'text-end', partId },
        ] as const)
      : []),
    { type, step, messageId, mode, text },
  ]
}
