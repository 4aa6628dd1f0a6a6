import type { JsonValue } from '../../protocol/json.ts'
import { readBlock } from '../block-reader.ts'
import type { CallsRead } from '../block-reader.ts'
import type { ActionCall } from '../call-arguments.ts'
import { CallProblem } from '../call-problem.ts'
import type { ToolIndex } from '../tool-index.ts'
import { endOfElement } from './element-end.ts'
import { findTool, settleCalls } from './foreign-call.ts'
import type { ForeignCall } from './foreign-call.ts'
import { readFunctionTag } from './function-tags.ts'
import { callsOfJson } from './json-calls.ts'
import { LiteralReader, Unreadable } from './literal-reader.ts'
import { endOfMarker, matchMarker } from './markers.ts'
import { readPythonCalls } from './python-calls.ts'
import { readHarmonyCall, readTokenCalls } from './token-calls.ts'

const fence = /^\s*(`{3,}|~{3,})[^\n`]*\n/
const react = /^\s*Action:[ \t]*`?([\w.-]+)`?[ \t]*\r?\n\s*Action Input:[ \t]*/

/** A section of calls: adjacent ones in one format. */
export interface ForeignRead extends CallsRead {
  /** Where it ends in the text. */
  readonly end: number
  /** A marker announced it. */
  readonly marked?: boolean
}

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
  if (matchMarker(text, start) === true) return readMarked(reader, index)
  try {
    const action = react.exec(text)
    const read = action
      ? readReact(reader, action, index)
      : text[start] === '<'
        ? readBareTags(reader, index)
        : readCalls(reader, index, marked)
    return read && { ...read, end: reader.at }
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown
    return thrown.cut && (react.test(text) || namesTool(text.slice(start), index, marked))
      ? { ...cutOff(), end: text.length }
      : undefined
  }
}

function readCalls(
  reader: LiteralReader,
  index: ToolIndex,
  marked: boolean,
): CallsRead | undefined {
  const calls = readPlain(reader, index, marked)
  return calls && settleCalls(calls, index)
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
  return readForeign(plainMarks(content), index, { marked: true, isCut })
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

/** JSON or Python calls one after the other, as long as they are calls. */
function readPlain(
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

function readReact(reader: LiteralReader, action: RegExpExecArray, index: ToolIndex): CallsRead {
  const name = action[1] ?? ''
  reader.at = action[0].length
  reader.match(/\s*```(?:json)?\s*/y)
  reader.skipSpace()
  if (reader.text[reader.at] === '{') {
    const args = reader.value()
    return settleCalls([{ name, args }], index)
  }
  const line = reader.match(/[^\n]*/y)?.[0].trim() ?? ''
  if (reader.isCut && reader.ended) throw new Unreadable(true)
  return settleCalls([{ name, args: /^(?:none|null)?$/i.test(line) ? {} : line }], index)
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

/** A call that was cut off was meant as one when it already names a registered tool. */
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

function cutOff(): CallsRead {
  const message = 'Malformed action: the call is cut off. Write the whole call again.'
  return { calls: [], problem: new CallProblem('malformed', message) }
}

function unreadable(): CallsRead {
  const message =
    'Malformed action: the call could not be read. Write it as an <ACTION> block with one element per call and one per parameter.'
  return { calls: [], problem: new CallProblem('malformed', message) }
}

/** Calls that a marker announces, and those right after them: what can't be read is an error, never text. */
function readMarked(reader: LiteralReader, index: ToolIndex): ForeignRead {
  const calls: ActionCall[] = []
  let failed: Pick<CallsRead, 'problem' | 'problemTool'> = {}
  let start = reader.at
  try {
    for (;;) {
      start = reader.at
      const next = readSection(reader, index)
      if (!failed.problem) {
        const { calls: more, ...problem } = next
        for (const call of more) calls.push(call)
        failed = problem
      }
      reader.match(closers)
      if (next.problem?.code === 'malformed')
        return { calls: [], problem: next.problem, end: reader.at, marked: true }
      const end = reader.at
      reader.skipSpace()
      if (matchMarker(reader.text, reader.at) !== true)
        return { calls, ...failed, end, marked: true }
    }
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown
    const read = thrown.cut ? cutOff() : unreadable()
    return { ...read, end: endOfUnreadable(reader.text, start), marked: true }
  }
}

/** After the closing tag of a section that can't be read, or the end of the text. */
function endOfUnreadable(text: string, start: number): number {
  const tag = /^<([A-Za-z_][\w:]*)/.exec(text.slice(start, start + 60))?.[1]
  const closer = tag === undefined ? -1 : text.indexOf(`</${tag}>`, start)
  return closer < 0 ? text.length : closer + `</${tag}>`.length
}

const closers =
  /(?:\s*(?:```|[;,]|<\/[\w:-]*(?:tool|func|invoke|call|param|action|arg)[\w:-]*>|<\|[\w/]*(?:end|END|suffix|eom|eot)[\w/]*\|>|<\|\/\w+\|>|<end_function_call>))*/iy

/** DeepSeek V3.2 writes Anthropic's tags with a mark of its own in them. */
export function plainMarks(text: string): string {
  return text.includes('｜DSML｜') ? text.replaceAll('｜DSML｜', '') : text
}

/** Markers that may stand one inside the other. */
const maxMarkers = 5

/** One section, without those after it. Throws `Unreadable`. */
export function readSection(
  reader: LiteralReader,
  index: ToolIndex,
  markers: number = 1,
): CallsRead {
  if (markers > maxMarkers) throw new Unreadable(false)
  const calls =
    readTokenCalls(reader) ?? one(readHarmonyCall(reader)) ?? one(readFunctionTag(reader, index))
  if (calls) return settleCalls(calls, index)
  if (/^<(?:\w+:)?invoke\s/.test(reader.text.slice(reader.at, reader.at + 40)))
    return readInvoke(reader, index)
  const opener = reader.at
  const end = endOfMarker(reader.text, opener) ?? endOfTag(reader)
  reader.at = end
  reader.match(/\s*(?:```\w*|<\|plugin\|>)?\s*/y)
  if (matchMarker(reader.text, reader.at) === true) return readSection(reader, index, markers + 1)
  const tag = /^<([\w:-]+)>/.exec(reader.text.slice(opener, end))?.[1]
  if (reader.text[reader.at] === '<') return readTags(reader, index, tag ?? '')
  const body = readBody(reader, index)
  if (tag !== undefined) refuseSwallowed(reader.text.slice(end, reader.at), tag)
  return settleCalls(body, index)
}

/** A string that was never closed must not go on beyond its section: a closer in one is on its last line. */
function refuseSwallowed(body: string, tag: string): void {
  const closer = body.indexOf(`</${tag}>`)
  if (closer >= 0 && body.includes('\n', closer)) throw new Unreadable(false)
}

/** One `<invoke name=…>`, without a wrapper around it. */
function readInvoke(reader: LiteralReader, index: ToolIndex): CallsRead {
  const start = reader.at
  const tag = reader.match(/<((?:\w+:)?invoke)\s[^<>]*>/y)?.[1]
  if (tag === undefined) reader.fail()
  reader.at = endOfElement(reader.text, tag, reader.at)
  return readBlock(reader.text.slice(start, reader.at), index)
}

function one(call: ForeignCall | undefined): ForeignCall[] | undefined {
  return call && [call]
}

function endOfTag(reader: LiteralReader): number {
  const found = reader.match(/<[^<>]*>/y)
  return found ? reader.at : reader.fail()
}

function readBody(reader: LiteralReader, index: ToolIndex): ForeignCall[] {
  const gemma = reader.match(/call:([\w.-]+)\s*/y)?.[1]
  if (gemma !== undefined) return [{ name: gemma, args: reader.value() }]
  const plain = readPlain(reader, index, true)
  if (plain) return plain
  const name = reader.match(/([\w.:-]+)\s*(?:\[CALL_ID\]\s*\w+\s*)?(?:\[ARGS\]\s*)?/y)?.[1]
  if (name === undefined) reader.fail()
  if (reader.text[reader.at] === '{') return [{ name, args: reader.value() }]
  return [{ name, texts: readPairs(reader) }]
}

const pair = /\s*<arg_key>([^<]*)<\/arg_key>\s*<arg_value>/y
const pairEnd = /<\/arg_value>(\s*(?:<arg_key>|<\/tool_call>|$))?/g

/** GLM's `<arg_key>…</arg_key><arg_value>…</arg_value>` pairs. */
function readPairs(reader: LiteralReader): [string, string][] {
  const texts: [string, string][] = []
  for (let found = reader.match(pair); found; found = reader.match(pair)) {
    let first: RegExpExecArray | undefined
    let limit = reader.text.length
    pairEnd.lastIndex = reader.at
    for (let end = pairEnd.exec(reader.text); end; end = pairEnd.exec(reader.text)) {
      if (end.index > limit) break
      if (first === undefined) {
        first = end
        const closer = reader.text.indexOf('</tool_call', end.index)
        if (closer >= 0) limit = closer
      }
      if (end[1] === undefined) continue
      first = end
      break
    }
    if (!first) throw new Unreadable(true)
    texts.push([(found[1] ?? '').trim(), trimOuterLines(reader.text.slice(reader.at, first.index))])
    reader.at = first.index + '</arg_value>'.length
  }
  if (!/^\s*(?:<\/tool_call|$)/.test(reader.text.slice(reader.at, reader.at + 40)))
    throw new Unreadable(false)
  if (reader.text.indexOf('</tool_call', reader.at) < 0) throw new Unreadable(true)
  return texts
}

function trimOuterLines(text: string): string {
  return text.includes('\n')
    ? text.replace(/^[ \t]*\r?\n/, '').replace(/\r?\n[ \t]*$/, '')
    : text.trim()
}

const nameTag = /^\s*<(name|tool_name|function_name|tool)>\s*([\w.:-]+)\s*<\/\1>/
const argumentsTag = /^\s*<(arguments|args|parameters|params|input)>([\s\S]*)<\/\1>\s*$/

/** XML inside a wrapper: `<invoke name=…>`, tool tags, or a name and its arguments as elements. */
function readTags(reader: LiteralReader, index: ToolIndex, wrapper: string): CallsRead {
  const { text } = reader
  const closer = text.indexOf(`</${wrapper}`, reader.at)
  const content = text.slice(reader.at, closer < 0 ? text.length : closer)
  reader.at = closer < 0 ? text.length : closer
  const named = nameTag.exec(content)
  if (!named) return readBlock(content, index)
  const name = named[2] ?? ''
  const rest = content.slice(named[0].length)
  const wrapped = argumentsTag.exec(rest)?.[2]
  const inner = wrapped ?? rest
  const json = tryValue(inner)
  if (json !== undefined) return settleCalls([{ name, args: json }], index)
  // Further parameters could have followed.
  if (reader.isCut && closer < 0 && wrapped === undefined) throw new Unreadable(true)
  return readBlock(`<${name}>${inner}</${name}>`, index)
}

function tryValue(text: string): JsonValue | undefined {
  if (!text.trim().startsWith('{')) return undefined
  try {
    return new LiteralReader(text).value()
  } catch {
    return undefined
  }
}
