import type { PlanItem } from '../../protocol/fact.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { CallState } from '../../protocol/state.ts'
import type { AskedQuestion } from './read-question.ts'
import type { RunContext } from './run-context.ts'
import type { Settlement } from './settlement.ts'

/** Stores the questions. Their calls then wait for a person's answer. */
export async function askQuestions(
  context: RunContext,
  questions: readonly AskedQuestion[],
): Promise<void> {
  if (questions.length === 0) return
  await context.conversation.append(
    questions.map((question) => ({ type: 'question-asked', ...question })),
  )
}

/** `input` was checked against the tool's schema: `{ result }`. */
export function finished(call: CallState, input: JsonValue): Settlement {
  const { result } = input as { result: string }
  return { call, status: 'succeeded', output: { type: 'text', value: result } }
}

/** `input` was checked against the tool's schema: `{ items: [{ content, status }] }`. The result repeats the items. */
export function planned(call: CallState, input: JsonValue): Settlement {
  const { items } = input as unknown as { readonly items: readonly PlanItem[] }
  const plan = items.map(({ content, status }) => ({ content, status }))
  return { call, status: 'succeeded', output: { type: 'json', value: plan }, plan }
}
