import { readBlock } from '../block-reader.ts'
import type { CallsRead } from '../block-reader.ts'
import { cutOff } from '../malformed-calls.ts'
import type { ToolIndex } from '../tool-index.ts'
import { endOfElement } from './element-end.ts'
import { findTool, resolveCalls } from './foreign-call.ts'
import type { ForeignCall, ForeignRead } from './foreign-call.ts'
import { LiteralReader, Unreadable } from './literal-reader.ts'
import { readMarkedCalls } from './marked-calls.ts'
import { matchMarker, withoutDsmlMarks } from './markers.ts'
import { readPlainCalls } from './plain-calls.ts'

const fence = /^\s*(`{3,}|~{3,})[^\n`]*\n/
const react = /^\s*Action:[ \t]*`?([\w.-]+)`?[ \t]*\r?\n\s*Action Input:[ \t]*/

export interface ForeignOptions {
  /** A marker stands around it: any name is then a call. */
  readonly marked?: boolean
  /** A limit cut the output off where the text ends (R6). */
  readonly isCut?: boolean
}

/**
 * The calls of a text that starts with another format's construct; undefined when it is no call. Nothing
 * after the construct's own end enters it.
 */
export function readForeign(
  text: string,
  index: ToolIndex,
  { marked = false, isCut = false }: ForeignOptions = {},
): ForeignRead | undefined {
  const fenced = fence.exec(text)
  if (fenced) {
    const { content, end, isClosed } = fenceContent(text, fenced[0].length, fenced[1] ?? '')
    const read = readForeign(content, index, { marked, isCut: isCut && !isClosed })
    return read && { ...read, end }
  }
  const start = text.search(/\S/)
  if (start < 0) return undefined
  const reader = new LiteralReader(text, start, isCut)
  if (matchMarker(text, start) === true) return readMarkedCalls(reader, index)
  try {
    const action = react.exec(text)
    const read = action
      ? readReact(reader, action, index)
      : text[start] === '<'
        ? readBareTags(reader, index)
        : resolved(readPlainCalls(reader, index, marked), index)
    return read && { ...read, end: reader.at }
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown
    return thrown.cut && (react.test(text) || namesTool(text.slice(start), index, marked))
      ? { ...cutOff(), end: text.length }
      : undefined
  }
}

function resolved(
  calls: readonly ForeignCall[] | undefined,
  index: ToolIndex,
): CallsRead | undefined {
  return calls && resolveCalls(calls, index)
}

/** The whole content of an ACTION block as a call in another format; undefined when it is none. */
export function readForeignBlock(
  content: string,
  index: ToolIndex,
  isCut: boolean = false,
): CallsRead | undefined {
  const start = content.search(/\S/)
  if (start < 0) return undefined
  const opensTag = /^<(?!tool_call|tool_use|function|TOOL|[|｜]|start_f|antml)/.test(
    content.slice(start, start + 20),
  )
  if (opensTag || /^<function\s/.test(content.slice(start, start + 20))) return undefined
  if (
    content[start] !== '<' &&
    !/^(?:[{[`~]|[\w.]+\s*\(|Action:)/.test(content.slice(start, start + 80))
  )
    return undefined
  return readForeign(withoutDsmlMarks(content), index, { marked: true, isCut })
}

function fenceContent(
  text: string,
  from: number,
  mark: string,
): { readonly content: string; readonly end: number; readonly isClosed: boolean } {
  const rest = text.slice(from)
  const close = new RegExp(`^[ \\t]*${mark[0]}{${mark.length},}[ \\t\\r]*$`, 'm').exec(rest)
  if (!close) return { content: rest, end: text.length, isClosed: false }
  const end = from + close.index + close[0].length
  return { content: rest.slice(0, close.index), end, isClosed: true }
}

/** ReAct's `Action:` and `Action Input:`. Throws `Unreadable`. */
function readReact(reader: LiteralReader, action: RegExpExecArray, index: ToolIndex): CallsRead {
  const name = action[1] ?? ''
  reader.at = action[0].length
  reader.match(/\s*```(?:json)?\s*/y)
  reader.skipSpace()
  if (reader.text[reader.at] === '{') {
    const args = reader.value()
    return resolveCalls([{ name, args }], index)
  }
  const line = reader.match(/[^\n]*/y)?.[0].trim() ?? ''
  if (reader.isCut && reader.ended) throw new Unreadable(true)
  return resolveCalls([{ name, args: /^(?:none|null)?$/i.test(line) ? {} : line }], index)
}

/** Tool tags without a block around them, one after the other. */
function readBareTags(reader: LiteralReader, index: ToolIndex): CallsRead | undefined {
  const { text } = reader
  const start = reader.at
  for (;;) {
    const tag = reader.match(/\s*<([^\s<>/]+)[^<>]*?(\/?)>/y)
    const name = tag?.[1] ?? ''
    if (!index.find(name)) {
      reader.at -= tag?.[0].length ?? 0
      break
    }
    if (tag?.[2] !== '/') reader.at = endOfElement(text, name, reader.at)
  }
  if (reader.at === start) return undefined
  const isTalk = /^[ \t]*[^\s<]/.test(text.slice(reader.at, reader.at + 200))
  return isTalk ? undefined : readBlock(text.slice(start, reader.at), index)
}

/** A construct that was cut off is a call when it already names a registered tool. */
function namesTool(text: string, index: ToolIndex, marked: boolean): boolean {
  if (marked) return true
  const named =
    /^[{[\s]*["'](?:name|tool|function|tool_name|action)["']\s*:\s*["']([\w.:-]+)(["']?)/.exec(text)
  const called = /^\[?\s*(?:print\(\s*)?([\w.-]+)\s*\(/.exec(text)
  const name = named?.[1] ?? called?.[1]
  if (name === undefined) return false
  if (named?.[2] === '') return index.tools.some((tool) => tool.name.startsWith(name))
  return findTool(name, index) !== undefined
}
