import type { ToolIndex } from '../tool-index.ts'
import {
  callNamePattern,
  findTool,
  type ForeignCall,
  joinParsedCalls,
  resolveCalls,
  toolNamePattern,
  parameterNamePattern,
} from './foreign-call.ts'
import { type LiteralReader, Unreadable } from './literal-reader.ts'
import { lazyPattern } from '../../lib/once.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { isRecord } from '../../lib/shape.ts'
import type { ParsedCalls } from '../block-reader.ts'

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
/** Keys of an object that may be a call without arguments. */
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
    const areAllCalls = calls.every((list) => list !== undefined) && calls.length > 0
    return areAllCalls ? calls.flatMap((list) => list ?? []) : undefined
  }
  if (!isRecord(value)) return undefined
  const record = value as Record<string, JsonValue>
  const list = listKeys
    .map((key) => ownProperty(record, key))
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
  const nested = ownProperty(record, 'function')
  if (isRecord(nested)) return namedCall(nested as Record<string, JsonValue>, index, marked)
  const name = nameKeys
    .map((key) => ownProperty(record, key))
    .find((entry) => typeof entry === 'string')
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

/** Reads `{"tool_name": {…}}`. The only key is a registered tool. After a marker, it may be any name. */
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

function ownProperty(record: Record<string, JsonValue>, key: string): JsonValue | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

const action = lazyPattern(
  () =>
    `\\s*Action:[ \\t]*(?:\`?(${toolNamePattern})\`?[ \\t]*\\r?\\n\\s*Action Input:[ \\t]*|(?:\\r?\\n\\s*)?\`\`\`(?:json)?\\s*(?=[[{]))`,
  'uy',
)
const thought = /\s*(?:Thought:[^\n]*\n\s*)?(?=Action:)/y

export function startsReact(text: string): boolean {
  action().lastIndex = 0
  return action().test(text)
}

/**
 * Reads consecutive ReAct calls: `Action:` and `Action Input:`, or Command R's `Action:` and a list in a fence.
 * Undefined if no such call comes next. Throws `Unreadable`.
 */
export function readReact(reader: LiteralReader, index: ToolIndex): ParsedCalls | undefined {
  const results: ParsedCalls[] = []
  for (;;) {
    const { at } = reader
    if (results.length > 0) reader.match(thought)
    const parsed = readReactCall(reader, index)
    if (parsed) {
      results.push(parsed)
      continue
    }
    reader.at = at
    return results.length === 0 ? undefined : joinParsedCalls(results)
  }
}

/** Reads a single ReAct call. Undefined if no such call comes next. Throws `Unreadable`. */
export function readReactCall(reader: LiteralReader, index: ToolIndex): ParsedCalls | undefined {
  const start = reader.at
  const found = reader.match(action())
  if (!found) return undefined
  const name = found[1]
  if (name !== undefined && !findTool(name, index)) {
    reader.at = start
    return undefined
  }
  if (name === undefined) {
    const calls = callsOfJson(reader.value(), index, false)
    reader.match(/\s*```/y)
    if (!calls) reader.at = start
    return calls && resolveCalls(calls, index)
  }
  const isFenced = reader.match(/\s*```(?:json)?\s*/y)
  reader.skipSpace()
  if (reader.text[reader.at] === '{') {
    const args = reader.value()
    if (isFenced) reader.match(/\s*```/y)
    return resolveCalls([{ name, args }], index)
  }
  const line = reader.match(/[^\n]*/y)?.[0].trim() ?? ''
  if (reader.isCut && reader.ended) throw new Unreadable('cut off')
  return resolveCalls([{ name, args: /^(?:none|null)?$/i.test(line) ? {} : line }], index)
}

const heading = lazyPattern(() => `\\s*(?:>>>)?(${callNamePattern})[ \\t]*\\r?\\n\\s*(?=\\{)`, 'uy')

/** Reads Functionary's format: a tool's name, with its parameters as JSON on the next line. */
export function readHeadedCall(reader: LiteralReader, index: ToolIndex): ForeignCall | undefined {
  const start = reader.at
  const name = reader.match(heading())?.[1]
  if (name !== undefined && findTool(name, index)) return { name, args: reader.value() }
  reader.at = start
  return undefined
}

const first = /^[{[]/
const further = /^(?:\{|\[\s*\{)/

/** Reads consecutive JSON or Python calls, up to the first text that is no call. */
export function readPlainCalls(
  reader: LiteralReader,
  index: ToolIndex,
  marked: boolean,
): ForeignCall[] | undefined {
  const python: ForeignCall[] = []
  for (let batch = readPythonCalls(reader); batch; batch = readPythonCalls(reader))
    python.push(...batch)
  if (python.length > 0)
    return marked || python.every((call) => findTool(call.name, index) !== undefined)
      ? python
      : undefined
  let calls: ForeignCall[] | undefined
  for (;;) {
    const headed = readHeadedCall(reader, index)
    if (headed) {
      calls = [...(calls ?? []), headed]
      continue
    }
    reader.skipSpace()
    const isValue = (calls ? further : first).test(reader.text.slice(reader.at, reader.at + 100))
    if (!isValue) return calls
    const before = reader.at
    const found = callsOfJson(reader.value(), index, marked)
    if (!found) {
      reader.at = before
      return calls
    }
    calls ??= []
    calls.push(...found)
    while (reader.take(';') || reader.take(','));
  }
}

const callStart = lazyPattern(() => `(${callNamePattern})\\s*\\(`, 'uy')
const keyword = lazyPattern(() => `(${parameterNamePattern})\\s*=(?!=)\\s*`, 'uy')

/** Reads `name(…)`, `print(name(…))` or `[name(…), name(…)]`. Undefined if none of these comes next. */
function readPythonCalls(reader: LiteralReader): ForeignCall[] | undefined {
  const start = reader.at
  const bracket = reader.take('[')
  const calls: ForeignCall[] = []
  for (;;) {
    reader.skipSpace()
    const call = readPythonCall(reader)
    if (!call) break
    calls.push(call)
    if (!reader.take(',') && !reader.take(';') && bracket) break
  }
  if (calls.length === 0) {
    reader.at = start
    return undefined
  }
  if (bracket && !reader.take(']')) reader.fail()
  return calls
}

/** Reads the next `name(…)` or `print(name(…))`, regardless of the text after it. */
export function readPythonCall(
  reader: LiteralReader,
  isPrinted: boolean = false,
): ForeignCall | undefined {
  const name = reader.match(callStart())?.[1]
  if (name === undefined) return undefined
  if (name === 'print') {
    reader.skipSpace()
    const inner = isPrinted ? reader.fail() : readPythonCall(reader, true)
    if (!inner || !reader.take(')')) reader.fail()
    return inner
  }
  const entries: [string | undefined, JsonValue][] = []
  while (!reader.take(')')) {
    const key = reader.match(keyword())?.[1]
    entries.push([key, reader.value()])
    if (!reader.take(',')) {
      if (reader.take(')')) break
      reader.fail()
    }
  }
  return { name: calledName(name), entries }
}

/** Returns the tool's name. Llama writes `name.call(…)` for `name`. */
function calledName(name: string): string {
  return name.replace(/\.call$/, '')
}
