import type { CallAnswer } from '../protocol/commands.ts'
import type { JsonObject } from '../protocol/json.ts'
import { badInput } from './failures.ts'
import { stringify } from './stringify.ts'

/**
 * Converts a person's answer to what is sent. Throws `invalid-input` for anything that is no answer; the worker checks
 * its content.
 */
export function saidOf(answer: unknown): CallAnswer['answer'] {
  if (typeof answer === 'string') return { type: 'answer', text: answer }
  const { action, content } = Object(answer) as { action?: unknown; content?: unknown }
  if (action === 'decline' || action === 'cancel') return { type: action }
  if (action !== 'accept')
    throw badInput("The answer must be a text, or have the action 'accept', 'decline' or 'cancel'.")
  // Drops fields that a form has left undefined.
  return { type: action, content: { ...(JSON.parse(stringify(content) ?? '{}') as JsonObject) } }
}
