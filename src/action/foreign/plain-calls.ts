import type { ToolIndex } from '../tool-index.ts'
import { findTool, type ForeignCall } from './foreign-call.ts'
import { callsOfJson } from './json-calls.ts'
import type { LiteralReader } from './literal-reader.ts'
import { callName, wordName } from './names.ts'
import { lazyPattern } from '../../lib/once.ts'
import type { JsonValue } from '../../protocol/json.ts'

const heading = lazyPattern(() => `\\s*(?:>>>)?(${callName})[ \\t]*\\r?\\n\\s*(?=\\{)`, 'uy')

/** Reads Functionary's format: a tool's name, with its parameters as JSON on the next line. */
function readHeadedCall(reader: LiteralReader, index: ToolIndex): ForeignCall | undefined {
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
  for (let more = readPythonCalls(reader); more; more = readPythonCalls(reader))
    python.push(...more)
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

const callStart = lazyPattern(() => `(${callName})\\s*\\(`, 'uy')
const keyword = lazyPattern(() => `(${wordName})\\s*=(?!=)\\s*`, 'uy')

/** Reads `name(…)`, `print(name(…))` or `[name(…), name(…)]`; undefined when none of these comes next. */
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
function readPythonCall(
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

/** The tool's name: Llama writes `name.call(…)` for `name`. */
function calledName(written: string): string {
  return written.replace(/\.call$/, '')
}
