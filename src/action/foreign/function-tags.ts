import { trimLayout } from '../xml-text.ts'
import type { ToolIndex } from '../tool-index.ts'
import { callsOfJson } from './json-calls.ts'
import { findTool } from './foreign-call.ts'
import type { ForeignCall } from './foreign-call.ts'
import type { LiteralReader } from './literal-reader.ts'
import { Unreadable } from './literal-reader.ts'

const opener = /<function=\s*["']?([\w.:-]+)["']?\s*>/y
const parameter = /<parameter=\s*["']?([^<>"'\s]+)["']?\s*>/g

/** Qwen3-coder's `<function=name><parameter=x>…`: raw text, nothing decoded. Throws `Unreadable`. */
export function readFunctionTag(reader: LiteralReader, index: ToolIndex): ForeignCall | undefined {
  const name = reader.match(opener)?.[1]
  if (name === undefined) return undefined
  reader.skipSpace()
  if (reader.text[reader.at] === '{') {
    const args = reader.value()
    endFunction(reader)
    return callsOfJson({ name, arguments: args }, index, true)?.[0]
  }
  const known = findTool(name, index)?.input.properties
  const texts: [string, string][] = []
  for (;;) {
    reader.skipSpace()
    parameter.lastIndex = reader.at
    const found = parameter.exec(reader.text)
    if (found?.index !== reader.at) break
    reader.at = parameter.lastIndex
    const { end, next } = endOfValue(reader, known)
    texts.push([found[1] ?? '', trimLayout(reader.text.slice(reader.at, end))])
    reader.at = next
  }
  endFunction(reader)
  return { name, texts }
}

function endFunction(reader: LiteralReader): void {
  const found = reader.match(/\s*<\/(?:function|tool_call)\s*>/y)
  if (!found) throw new Unreadable(reader.text.indexOf('</function', reader.at) < 0)
  if (found[0].includes('tool_call')) reader.at -= found[0].trimStart().length
}

/** R10 for this format: at the first closer that a parameter or the end follows, or where the next parameter starts. */
function endOfValue(
  reader: LiteralReader,
  known: ReadonlyMap<string, unknown> | undefined,
): { readonly end: number; readonly next: number } {
  const mark =
    /<\/parameter\s*>(\s*(?:<parameter=|<\/function\s*>|<\/tool_call\s*>))?|<parameter=\s*["']?([\w.-]+)["']?\s*>|<\/function\s*>/g
  mark.lastIndex = reader.at
  let first: { end: number; next: number } | undefined
  for (let found = mark.exec(reader.text); found; found = mark.exec(reader.text)) {
    const end = found.index
    if (found[0].startsWith('</parameter')) {
      const next = end + found[0].length - (found[1]?.length ?? 0)
      if (found[1] !== undefined) return { end, next }
      first ??= { end, next }
      mark.lastIndex = next
    } else if (first === undefined && (found[2] === undefined || known?.has(found[2])))
      return { end, next: end }
    // The call's own end: what follows it belongs to others.
    else if (first !== undefined && found[2] === undefined) return first
  }
  if (first) return first
  throw new Unreadable(true)
}
