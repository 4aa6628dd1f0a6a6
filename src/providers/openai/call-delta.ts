import { asArguments } from '../core/parse-tool-input.ts'
import type { CallDelta } from '../core/assemble-tool-calls.ts'
import { asCount, asRecord, asText, type JsonRecord } from '../core/read-json.ts'

/** Keys of the arguments. Few servers use others than the first, but their arguments must not be lost. */
const argumentKeys = ['arguments', 'parameters', 'input', 'args'] as const

/** Reads an entry of `tool_calls`, wherever a server puts its fields. */
export function callDelta(call: JsonRecord): CallDelta {
  const { id, function: named } = call
  const fn = asRecord(named) ?? asRecord(call['custom']) ?? call
  const values = [fn, call].flatMap((place) => argumentKeys.map((key) => place[key]))
  return {
    id: typeof id === 'number' ? String(id) : asText(id),
    index: asCount(call['index']),
    name: asText(fn['name'] ?? named)?.trim() || undefined,
    args: asArguments(values.find((value) => value != null && value !== '')),
  }
}
