import type { RowOf } from '../protocol/fact.ts'
import type { Question } from '../protocol/run.ts'

/** What a call asks, as it is shown. */
export function askedQuestion({
  question,
  options,
  fields,
  sensitive,
}: RowOf<'question-asked'>): Question {
  return {
    question,
    ...(options && { options }),
    ...(fields && { fields }),
    ...(sensitive && { sensitive }),
  }
}
