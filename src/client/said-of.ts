import { isJson } from '../lib/is-json.ts'
import type { CallAnswer } from '../protocol/commands.ts'
import type { JsonObject } from '../protocol/json.ts'
import { badInput } from './failures.ts'

/** A person's answer to a question, as it is sent. Throws `invalid-input` for what is none. */
export function saidOf(answer: unknown): CallAnswer['answer'] {
  if (typeof answer === 'string') return { type: 'answer', text: answer }
  const { action, content = {} } = (answer ?? {}) as { action?: unknown; content?: unknown }
  if (action === 'decline' || action === 'cancel') return { type: action }
  if (action === 'accept' && isContent(content)) return { type: 'accept', content: given(content) }
  throw badInput(
    "The answer must be a string, { action: 'accept', content: { … } }, { action: 'decline' } or { action: 'cancel' }.",
  )
}

function isContent(content: unknown): content is JsonObject {
  return (
    typeof content === 'object' &&
    content !== null &&
    // A FormData has nothing of its own, and would be an answer without values.
    Object.getPrototypeOf(content) === Object.prototype &&
    isJson(given(content))
  )
}

/** Without what a form has left undefined. */
function given(content: object): JsonObject {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined))
}
