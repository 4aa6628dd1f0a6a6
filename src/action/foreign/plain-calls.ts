import type { ToolIndex } from '../tool-index.ts'
import { findTool } from './foreign-call.ts'
import type { ForeignCall } from './foreign-call.ts'
import { callsOfJson } from './json-calls.ts'
import type { LiteralReader } from './literal-reader.ts'
import { callName } from './names.ts'
import { readPythonCalls } from './python-calls.ts'
import { lazyPattern } from '../../lib/once.ts'

const heading = lazyPattern(() => `\\s*(?:>>>)?(${callName})[ \\t]*\\r?\\n\\s*(?=\\{)`, 'uy')

/** Functionary's: a tool's name, and its parameters as JSON on the next line. */
function readHeadedCall(reader: LiteralReader, index: ToolIndex): ForeignCall | undefined {
  const start = reader.at
  const name = reader.match(heading())?.[1]
  if (name !== undefined && findTool(name, index)) return { name, args: reader.value() }
  reader.at = start
  return undefined
}

const first = /^[{[]/
const further = /^(?:\{|\[\s*\{)/

/** JSON or Python calls one after the other, as long as they are calls. */
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
