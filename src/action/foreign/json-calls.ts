import { isRecord } from '../../lib/shape.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { ToolIndex } from '../tool-index.ts'
import { findTool } from './foreign-call.ts'
import type { ForeignCall } from './foreign-call.ts'

const nameKeys = [
  'name',
  'tool',
  'function',
  'tool_name',
  'function_name',
  'toolName',
  'action',
] as const
const argumentKeys = [
  'arguments',
  'args',
  'parameters',
  'params',
  'input',
  'tool_input',
  'action_input',
  'kwargs',
] as const
const listKeys = ['tool_calls', 'function_call', 'calls'] as const
/** Keys that a call without arguments may have. */
const neutralKeys: ReadonlySet<string> = new Set([...nameKeys, 'id', 'type'])

/**
 * The calls in a JSON value; undefined when it is data. Unmarked JSON is a call only if it names a
 * registered tool. After a marker, any name makes it a call, and an unknown name is an error.
 */
export function callsOfJson(
  value: JsonValue,
  index: ToolIndex,
  marked: boolean,
): ForeignCall[] | undefined {
  if (Array.isArray(value)) {
    const calls = value.map((entry: JsonValue) => callsOfJson(entry, index, marked))
    const all = calls.every((list) => list !== undefined) && calls.length > 0
    return all ? calls.flatMap((list) => list ?? []) : undefined
  }
  if (!isRecord(value)) return undefined
  const record = value as Record<string, JsonValue>
  const list = listKeys
    .map((key) => own(record, key))
    .find((entry) => isRecord(entry) || Array.isArray(entry))
  if (list !== undefined) return callsOfJson(list, index, marked)
  const call = namedCall(record, index, marked) ?? keyedCall(record, index, marked)
  return call && [call]
}

function namedCall(
  record: Record<string, JsonValue>,
  index: ToolIndex,
  marked: boolean,
): ForeignCall | undefined {
  const nested = own(record, 'function')
  if (isRecord(nested)) return namedCall(nested as Record<string, JsonValue>, index, marked)
  const name = nameKeys.map((key) => own(record, key)).find((entry) => typeof entry === 'string')
  if (typeof name !== 'string') return undefined
  const tool = findTool(name, index)
  if (!tool && !marked) return undefined
  const [key, other] = argumentKeys.filter((candidate) => Object.hasOwn(record, candidate))
  if (other !== undefined) return { name, problem: `both '${key}' and '${other}' are given` }
  if (key !== undefined) {
    const args = record[key]
    const isArguments = marked || args === null || isRecord(args) || typeof args === 'string'
    return isArguments ? { name, args: args ?? {} } : undefined
  }
  const isBare = Object.keys(record).every((entry) => neutralKeys.has(entry))
  return marked || (isBare && tool?.input.required.size === 0) ? { name } : undefined
}

/** Reads `{"tool_name": {…}}`. The only key is a registered tool or, after a marker, any name. */
function keyedCall(
  record: Record<string, JsonValue>,
  index: ToolIndex,
  marked: boolean,
): ForeignCall | undefined {
  const [key, ...others] = Object.keys(record)
  if (key === undefined || others.length > 0 || !(marked || findTool(key, index))) return undefined
  const args = record[key]
  return isRecord(args) ? { name: key, args: args as JsonValue } : undefined
}

function own(record: Record<string, JsonValue>, key: string): JsonValue | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
