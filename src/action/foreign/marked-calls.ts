import type { JsonValue } from '../../protocol/json.ts'
import { readBlock } from '../block-reader.ts'
import type { CallsRead } from '../block-reader.ts'
import type { ActionCall } from '../call-arguments.ts'
import { cutOff, unreadable } from '../malformed-calls.ts'
import type { ToolIndex } from '../tool-index.ts'
import { readArgumentPairs } from './argument-pairs.ts'
import { endOfElement } from './element-end.ts'
import { resolveCalls } from './foreign-call.ts'
import type { ForeignCall, ForeignRead } from './foreign-call.ts'
import { readFunctionTag } from './function-tags.ts'
import { LiteralReader, Unreadable } from './literal-reader.ts'
import { endOfMarker, matchMarker } from './markers.ts'
import { readPlainCalls } from './plain-calls.ts'
import { readHarmonyCall, readTokenCalls } from './token-calls.ts'

/** The calls after a marker, and those right after them: what can't be read is an error, never text. */
export function readMarkedCalls(reader: LiteralReader, index: ToolIndex): ForeignRead {
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
  if (calls) return resolveCalls(calls, index)
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
  return resolveCalls(body, index)
}

/** A string that was never closed must not continue beyond its section: a closer in one is on its last line. */
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
  const plain = readPlainCalls(reader, index, true)
  if (plain) return plain
  const name = reader.match(/([\w.:-]+)\s*(?:\[CALL_ID\]\s*\w+\s*)?(?:\[ARGS\]\s*)?/y)?.[1]
  if (name === undefined) reader.fail()
  if (reader.text[reader.at] === '{') return [{ name, args: reader.value() }]
  return [{ name, texts: readArgumentPairs(reader) }]
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
  if (json !== undefined) return resolveCalls([{ name, args: json }], index)
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
