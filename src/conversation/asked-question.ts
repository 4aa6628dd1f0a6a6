import type { RowOf } from '../protocol/fact.ts'
import type { Question } from '../protocol/run.ts'

/** The question of a call, without the other fields of its fact. */
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
