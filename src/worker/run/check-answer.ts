import { checkContent } from '../../protocol/check-content.ts'
import { sameJson } from '../../lib/same-json.ts'
import type { CallAnswer } from '../../protocol/commands.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { CallState } from '../../protocol/state.ts'

/** Messages to the model for a question that a person declined or closed. */
export const UNANSWERED = {
  decline:
    'The person does not want to answer this. Do not ask it again; go on without it if you can.',
  cancel: 'The person closed the question without answering. Go on without an answer if you can.',
} as const

/**
 * Throws `consent-refused` if the approval is for an earlier request, or for a different input than the call's.
 *
 * Throws `invalid-input` if the answer doesn't fit its question: a text for fields or the reverse, or content that
 * doesn't fit the fields. `details.fields` then lists each field with its problem.
 */
export function checkAnswer(
  { question, askedAt, input }: CallState,
  answer: CallAnswer['answer'],
): void {
  if (
    answer.type === 'approve' &&
    ((answer.askedAt ?? askedAt) !== askedAt ||
      (answer.shown !== undefined && !sameJson(answer.shown, input)))
  )
    throw new OffstageError(
      'consent-refused',
      'The question about this call has changed. Look at it, then press again.',
      { retryable: true },
    )
  const fields = question?.fields
  if (answer.type === 'answer' && fields)
    throw refused("This question asks for fields: answer it with { action: 'accept', content }.")
  if (answer.type !== 'accept') return
  if (!fields) throw refused('This question asks for a text: it has no fields.')
  const problems = checkContent(fields, answer.content)
  if (problems.length === 0) return
  const words = problems.slice(0, 8).map(({ field, problem }) => `'${field}' ${problem}`)
  throw refused(`The answer doesn't fit: ${words.join('; ')}.`, problems)
}

function refused(message: string, problems?: ReturnType<typeof checkContent>): OffstageError {
  const details = problems && { fields: problems.map((problem) => ({ ...problem })) }
  return new OffstageError('invalid-input', message, { ...(details && { details }) })
}
