import type { CallAnswer } from '../protocol/commands.ts'
import type { JsonObject } from '../protocol/json.ts'
import { badInput } from './failures.ts'
import { stringify } from './stringify.ts'

/** A person's answer to a question, as it is sent. Throws `invalid-input` for what is none; the worker checks its content. */
export function saidOf(answer: unknown): CallAnswer['answer'] {
  if (typeof answer === 'string') return { type: 'answer', text: answer }
  const { action, content } = Object(answer) as { action?: unknown; content?: unknown }
  if (action === 'decline' || action === 'cancel') return { type: action }
  if (action !== 'accept')
    throw badInput("The answer must be a text, or have the action 'accept', 'decline' or 'cancel'.")
  // What a form has left undefined goes.
  return { type: action, content: { ...(JSON.parse(stringify(content) ?? '{}') as JsonObject) } }
}
