import type { JsonValue } from '../../protocol/json.ts'
import { readBlock } from '../block-reader.ts'
import type { CallsRead } from '../block-reader.ts'
import type { ActionCall } from '../call-arguments.ts'
import { CallProblem } from '../call-problem.ts'
import type { ToolIndex } from '../tool-index.ts'
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

/**
 * The calls of a text that starts with another format's construct; undefined when it is no call.
 * `marked` stands for a marker around it: any name is then a call.
 */
export function readForeign(
  text: string,
  index: ToolIndex,
  marked: boolean = false,
): CallsRead | undefined {
  const fenced = fence.exec(text)
  if (fenced)
    return readForeign(fenceContent(text, fenced[0].length, fenced[1] ?? ''), index, marked)
  const start = text.search(/\S/)
  if (start < 0) return undefined
  if (matchMarker(text, start) === true) return readMarked(text.slice(start), index)
  const reader = new LiteralReader(text, start)
  try {
    const action = react.exec(text)
    if (action) return readReact(text, action, index)
    if (text[start] === '<') return readBareTags(text.slice(start), index)
    const calls = readPlain(reader, index, marked)
    return calls && settleCalls(calls, index)
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown
    return thrown.cut && (react.test(text) || namesTool(text.slice(start), index, marked))
      ? cutOff()
      : undefined
  }
}

/** The whole content of an ACTION block as a call in another format; undefined when it is none. */
export function readForeignBlock(content: string, index: ToolIndex): CallsRead | undefined {
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
  return readForeign(content, index, true)
}

function fenceContent(text: string, from: number, mark: string): string {
  const close = new RegExp(`^[ \\t]*${mark[0]}{${mark.length},}[ \\t\\r]*$`, 'm')
  const end = text.slice(from).search(close)
  return end < 0 ? text.slice(from) : text.slice(from, from + end)
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
    const found = callsOfJson(reader.value(), index, marked)
    if (!found) return calls
    calls ??= []
    calls.push(...found)
    while (reader.take(';') || reader.take(','));
  }
}

function readReact(text: string, action: RegExpExecArray, index: ToolIndex): CallsRead {
  const name = action[1] ?? ''
  const reader = new LiteralReader(text, action[0].length)
  reader.match(/\s*```(?:json)?\s*/y)
  reader.skipSpace()
  if (reader.text[reader.at] === '{') {
    const args = reader.value()
    return settleCalls([{ name, args }], index)
  }
  const line = reader.match(/[^\n]*/y)?.[0].trim() ?? ''
  return settleCalls([{ name, args: /^(?:none|null)?$/i.test(line) ? {} : line }], index)
}

/** Tool tags without a block around them: up to the last closing tag of a tool. */
function readBareTags(text: string, index: ToolIndex): CallsRead | undefined {
  const tag = /^<([^\s<>/]+)/.exec(text)?.[1] ?? ''
  if (!index.find(tag)) return undefined
  const empty = /^<[^\s<>/]+[^<>]*\/>/.exec(text)?.[0].length ?? 0
  const ends = index.tools.map((tool) => {
    const closer = `</${tool.tag}>`
    const at = text.lastIndexOf(closer)
    return at < 0 ? 0 : at + closer.length
  })
  const end = Math.max(empty, ...ends)
  if (end > 0 && /^[ \t]*[^\s<]/.test(text.slice(end, end + 200))) return undefined
  return readBlock(end > 0 ? text.slice(0, end) : text, index)
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

/** Calls that a marker announces: what can't be read is an error, never text. */
function readMarked(text: string, index: ToolIndex): CallsRead {
  const reader = new LiteralReader(normalize(text))
  const calls: ActionCall[] = []
  let failed: Pick<CallsRead, 'problem' | 'problemTool'> = {}
  try {
    do {
      const next = readSection(reader, index)
      if (next.problem?.code === 'malformed') return { calls: [], problem: next.problem }
      if (!failed.problem) {
        const { calls: more, ...problem } = next
        for (const call of more) calls.push(call)
        failed = problem
      }
      reader.match(closers)
      reader.skipSpace()
    } while (matchMarker(reader.text, reader.at) === true)
    return { calls, ...failed }
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown
    return thrown.cut ? cutOff() : unreadable()
  }
}

const closers =
  /(?:\s*(?:```|[;,]|<\/[\w:-]+>|<\|[\w/]*(?:end|END|suffix|eom|eot|im)[\w/]*\|>|<\|\/\w+\|>|<end_function_call>))*/y

/** DeepSeek V3.2 writes Anthropic's tags with a mark of its own in them. */
function normalize(text: string): string {
  return text.includes('｜DSML｜') ? text.replaceAll('｜DSML｜', '') : text
}

function readSection(reader: LiteralReader, index: ToolIndex): CallsRead {
  const calls =
    readTokenCalls(reader) ?? one(readHarmonyCall(reader)) ?? one(readFunctionTag(reader, index))
  if (calls) return settleCalls(calls, index)
  if (/^<(?:\w+:)?invoke\s/.test(reader.text.slice(reader.at, reader.at + 40)))
    return readTags(reader, index, undefined)
  const opener = reader.at
  const end = endOfMarker(reader.text, opener) ?? endOfTag(reader)
  reader.at = end
  reader.match(/\s*(?:```\w*|<\|plugin\|>)?\s*/y)
  if (matchMarker(reader.text, reader.at) === true) return readSection(reader, index)
  if (reader.text[reader.at] === '<')
    return readTags(reader, index, /^<([\w:-]+)>/.exec(reader.text.slice(opener, end))?.[1])
  return settleCalls(readBody(reader, index), index)
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
    pairEnd.lastIndex = reader.at
    for (let end = pairEnd.exec(reader.text); end; end = pairEnd.exec(reader.text)) {
      first ??= end
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
function readTags(reader: LiteralReader, index: ToolIndex, wrapper: string | undefined): CallsRead {
  const { text } = reader
  const closer =
    wrapper === undefined ? lastInvoke(text, reader.at) : text.indexOf(`</${wrapper}`, reader.at)
  const content = text.slice(reader.at, closer < 0 ? text.length : closer)
  reader.at = closer < 0 ? text.length : closer
  const named = nameTag.exec(content)
  if (!named) return readBlock(content, index)
  const name = named[2] ?? ''
  const rest = content.slice(named[0].length)
  const inner = argumentsTag.exec(rest)?.[2] ?? rest
  const json = tryValue(inner)
  if (json !== undefined) return settleCalls([{ name, args: json }], index)
  return readBlock(`<${name}>${inner}</${name}>`, index)
}

function lastInvoke(text: string, from: number): number {
  const closer = /<\/(?:\w+:)?invoke\s*>/g
  closer.lastIndex = from
  let end = -1
  for (let found = closer.exec(text); found; found = closer.exec(text)) end = closer.lastIndex
  return end
}

function tryValue(text: string): JsonValue | undefined {
  if (!text.trim().startsWith('{')) return undefined
  try {
    return new LiteralReader(text).value()
  } catch {
    return undefined
  }
}
