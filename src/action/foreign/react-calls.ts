import type { CallsRead } from '../block-reader.ts'
import type { ToolIndex } from '../tool-index.ts'
import { findTool, joinReads, resolveCalls } from './foreign-call.ts'
import { callsOfJson } from './json-calls.ts'
import { Unreadable } from './literal-reader.ts'
import type { LiteralReader } from './literal-reader.ts'
import { toolName } from './names.ts'
import { lazyPattern } from '../../lib/once.ts'

const action = lazyPattern(
  () =>
    `\\s*Action:[ \\t]*(?:\`?(${toolName})\`?[ \\t]*\\r?\\n\\s*Action Input:[ \\t]*|(?:\\r?\\n\\s*)?\`\`\`(?:json)?\\s*(?=[[{]))`,
  'uy',
)
const thought = /\s*(?:Thought:[^\n]*\n\s*)?(?=Action:)/y

export function startsReact(text: string): boolean {
  action().lastIndex = 0
  return action().test(text)
}

/**
 * Reads consecutive ReAct calls: `Action:` and `Action Input:`, or Command R's `Action:` and a list in a fence.
 * Undefined if none comes next. Throws `Unreadable`.
 */
export function readReact(reader: LiteralReader, index: ToolIndex): CallsRead | undefined {
  const reads: CallsRead[] = []
  for (;;) {
    const { at } = reader
    if (reads.length > 0) reader.match(thought)
    const read = readReactCall(reader, index)
    if (read) {
      reads.push(read)
      continue
    }
    reader.at = at
    return reads.length === 0 ? undefined : joinReads(reads)
  }
}

/** Reads a single ReAct call. Undefined if none comes next. Throws `Unreadable`. */
function readReactCall(reader: LiteralReader, index: ToolIndex): CallsRead | undefined {
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
