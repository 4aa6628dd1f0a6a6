import type { JsonValue } from '../protocol/json.ts'
import type { Drive, Settlement } from './drive.ts'
import type { CallState } from './state.ts'

/** What a call of `ask_user` asks. */
export interface Question {
  readonly toolCallId: string
  readonly question: string
  readonly options?: readonly string[]
}

/** `input` was checked against the tool's schema: `{ question, options? }`. */
export function questionOf({ toolCallId }: CallState, input: JsonValue): Question {
  const { question, options } = input as { question: string; options?: readonly string[] }
  return { toolCallId, question, ...(options && { options }) }
}

/** The calls wait from now on; who asks is told after the commit. */
export async function askQuestions(drive: Drive, questions: readonly Question[]): Promise<void> {
  if (questions.length === 0) return
  await drive.conversation.append(
    questions.map((question) => ({ type: 'question-asked', ...question })),
  )
  for (const question of questions) drive.events.push({ type: 'question', ...question })
}

/** `input` was checked against the tool's schema: `{ result }`. */
export function finished(call: CallState, input: JsonValue): Settlement {
  const { result } = input as { result: string }
  return { call, status: 'succeeded', output: { type: 'text', value: result } }
}
