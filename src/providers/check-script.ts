import { type Check, isAmount, isNumber, isText, listOf, optional, shape } from '../lib/shape.ts'
import type { ErrorData } from '../protocol/error.ts'
import type { Script } from '../protocol/model.ts'

const isStep = shape({
  text: optional(isText),
  reasoning: optional(isText),
  toolCalls: optional(listOf(shape({ toolName: isText }))),
  error: optional(isText),
  delayMs: optional(isAmount),
})
const isSteps = listOf(isStep)

const FIELDS: Readonly<Record<keyof Script, readonly [Check, string]>> = {
  steps: [optional(isSteps), 'a list of steps'],
  scenes: [
    optional(listOf(shape({ match: listOf(isText), steps: isSteps }))),
    'a list of { match, steps }, which are lists',
  ],
  fallback: [optional(isSteps), 'a list of steps'],
  paceMs: [optional(isAmount), 'a number of milliseconds'],
  pieceLength: [optional(isNumber), 'a number of characters'],
}

/** What is wrong with a script; null: nothing. It comes from a page's own code, and may be anything. */
export function scriptFault(script: Script): ErrorData | null {
  for (const [name, [check, what]] of Object.entries(FIELDS))
    if (!check(script[name as keyof Script]))
      return {
        code: 'invalid-config',
        message: `${name} of a script must be ${what}.`,
        retryable: false,
      }
  return null
}
