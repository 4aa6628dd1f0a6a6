import type { CallEnd } from '../../protocol/composite.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { stringify } from '../stringify.ts'

/** Outcome of a call or step: the same each time the function runs. */
export type Outcome = { readonly value: unknown } | { readonly error: Error }

/** Limit for the JSON of a step's result. */
const MAX_CHARACTERS = 1_000_000

/** Converts the end of a nested call to what the function gets. */
export function outcomeOfCall(
  { status, output }: CallEnd,
  call: { readonly toolName: string; readonly toolCallId: string },
): Outcome {
  switch (output.type) {
    case 'text':
    case 'json':
    case 'content':
      return { value: output.value }
    case 'error':
      return failedCall(output.message, { ...call, status, code: output.code })
    case 'denied':
      return failedCall(output.reason ?? 'The call was denied.', { ...call, status })
    default:
      return output satisfies never
  }
}

function failedCall(message: string, details: JsonObject): Outcome {
  return { error: new OffstageError('call-failed', message, { details }) }
}

/** Stored value of a step that was begun and must not run again. */
export const CUT_OFF: JsonValue = {
  error: {
    name: 'OffstageError',
    code: 'call-failed',
    message: 'The step was cut off: it may or may not have happened.',
    status: 'interrupted',
  },
}

/** Converts a step's result to what is stored. Throws if it can't be stored. */
export function keptValue(value: unknown): JsonValue {
  const text = stringify(value)
  if (text === undefined) {
    if (value === undefined) return {}
    throw new TypeError(
      `A step returned a ${typeof value}, which can't be kept. Return plain data.`,
    )
  }
  if (text.length > MAX_CHARACTERS)
    throw new RangeError(`A step returned more than ${MAX_CHARACTERS} characters of JSON.`)
  return { value: JSON.parse(text) as JsonValue }
}

/** Converts what a step threw to what is stored. */
export function keptError(thrown: unknown): JsonValue {
  const { name, code } = (thrown ?? {}) as {
    readonly name?: unknown
    readonly code?: unknown
  }
  return {
    error: {
      name: typeof name === 'string' ? name : 'Error',
      message: describeThrown(thrown),
      ...(typeof code === 'string' && { code }),
    },
  }
}

/** Restores a step's outcome from what is stored. */
export function outcomeOfStep(kept: JsonValue): Outcome {
  const { value, error } = kept as { readonly value?: JsonValue; readonly error?: JsonObject }
  if (error === undefined) return { value }
  const { name, message, code, status } = error as { readonly [key: string]: unknown }
  const made = new Error(String(message))
  made.name = String(name)
  return {
    error: Object.assign(
      made,
      code !== undefined && { code },
      status !== undefined && { details: { status } },
    ),
  }
}
