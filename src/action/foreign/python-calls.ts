import type { JsonValue } from '../../protocol/json.ts'
import type { ForeignCall } from './foreign-call.ts'
import type { LiteralReader } from './literal-reader.ts'
import { callName, wordName } from './names.ts'
import { lazyPattern } from '../../lib/once.ts'

const callStart = lazyPattern(() => `(${callName})\\s*\\(`, 'uy')
const keyword = lazyPattern(() => `(${wordName})\\s*=(?!=)\\s*`, 'uy')

/** `name(…)`, `print(name(…))` or `[name(…), name(…)]`; undefined when nothing like it comes next. */
export function readPythonCalls(reader: LiteralReader): ForeignCall[] | undefined {
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

/** The next `name(…)` or `print(name(…))`, whatever follows it. */
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

/** Llama's `name.call(…)` calls `name`. */
function calledName(written: string): string {
  return written.replace(/\.call$/, '')
}
