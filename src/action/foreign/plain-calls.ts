import type { ToolIndex } from '../tool-index.ts'
import { findTool } from './foreign-call.ts'
import type { ForeignCall } from './foreign-call.ts'
import { callsOfJson } from './json-calls.ts'
import type { LiteralReader } from './literal-reader.ts'
import { readPythonCalls } from './python-calls.ts'

/** JSON or Python calls one after the other, as long as they are calls. */
export function readPlainCalls(
  reader: LiteralReader,
  index: ToolIndex,
  marked: boolean,
): ForeignCall[] | undefined {
  const python = readPythonCalls(reader)
  if (python)
    return marked || python.every((call) => findTool(call.name, index) !== undefined)
      ? python
      : undefined
  let calls: ForeignCall[] | undefined
  for (;;) {
    reader.skipSpace()
    if (reader.text[reader.at] !== '{' && reader.text[reader.at] !== '[') return calls
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
