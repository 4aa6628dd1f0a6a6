import type { JsonValue } from '../../../protocol/json.ts'
import { readBlock, type ParsedCalls } from '../../block-reader.ts'
import { alternation } from '../../char-codes.ts'
import type { ToolIndex } from '../../tool-index.ts'
import { LiteralReader, readArgumentPairs, Unreadable } from '../literal-reader.ts'
import { endOfElement, tagMarks } from '../tags.ts'
import { type ForeignCall, resolveCalls, toolNamePattern, withNamespaces } from '../foreign-call.ts'
import { readPlainCalls } from '../plain-calls.ts'
import { readTagName, type Continuation, type Dialect, type Section } from './dialect.ts'
import { lazyPattern, once } from '../../../lib/once.ts'

/** Start of a call, in any of several forms. */
const body = once<Continuation>(() => ({
  whole: new RegExp(
    `^(?:\\s*(?:[{[]|\\]<\\]|\`\`\`|<[\\p{L}_|｜])|(?:[ \\t]*\\r?\\n\\s*)?${toolNamePattern}[ \\t]*(?:\\r?\\n|[<{(]))`,
    'u',
  ),
  partial: new RegExp(
    `^(?:\\s*(?:<|\\]<?|\`{1,2})?|(?:[ \\t]*\\r?\\n\\s*)?${toolNamePattern}[ \\t]*\\r?)$`,
    'u',
  ),
}))
/** JSON objects, or a list of them, after words that people also write. */
const json = (): Continuation => ({
  whole: /^(?:<\|role_sep\|>)?\s*(?:\[\s*)?\{\s*"/,
  partial: /^(?:<[|a-z_]*>?)?\s*(?:\[\s*)?(?:\{\s*)?$/,
})

function tags(...names: string[]): Dialect {
  return {
    openers: names.map((name) => [`<${name}>`, `</${name}>`]),
    after: body,
    read: readWrapped,
  }
}

/** Creates a dialect of tokens with their closers. */
function tokens(...openers: (readonly [opener: string, closer?: string])[]): Dialect {
  return { openers, read: readWrapped }
}

/** Creates a dialect of tokens before JSON or Python, whose closers may be missing. */
function bracketed(...pairs: (readonly [opener: string, closer: string])[]): Dialect {
  return {
    openers: pairs.map(([opener]) => [opener]),
    closers: pairs.map(([, closer]) => closer),
    read: readWrapped,
  }
}

function headed(openers: readonly string[], after: () => Continuation): Dialect {
  return { openers: openers.map((opener) => [opener]), after, read: readWrapped }
}

function plamo(name: string): [string, string] {
  return [`<|plamo:begin_${name}:plamo|>`, `<|plamo:end_${name}:plamo|>`]
}

/** Formats with a marker, a body in one of many forms, and a closer. */
export const wrapped: readonly Dialect[] = [
  tags('tool_call', 'tool_calls', 'function_call', 'function_calls', 'functioncall', 'tool_use'),
  tags(
    'antml:function_calls',
    'atem:function_calls',
    'tool_calls:opensource',
    'tool_call:opensource',
  ),
  tags('minimax:tool_call', 'seed:tool_call', 'longcat_tool_call', 'dots_function_call'),
  tokens(
    ['[TOOL_CALLS]'],
    ['<|function_call|>'],
    ['<TOOLCALL>', '</TOOLCALL>'],
    ['<|tool_call_start|>', '<|tool_call_end|>'],
    ['<|tool_call:start|>', '<|tool_call:end|>'],
    ['<|tool_call:begin|>', '<|tool_call:end|>'],
    ['<|open|>tools<|sep|>', '<|close|>tools<|sep|>'],
    ['<|open|>call tool=', '<|close|>call<|sep|>'],
    ['<start_function_call>', '<end_function_call>'],
    ['<|tool_call>', '<tool_call|>'],
  ),
  bracketed(
    ['<|tool_calls|>', '<|calls|>'],
    ['<|tool_call|>', '<|/tool_call|>'],
    ['<|python_tag|>', '<|eom_id|>'],
    ['<|python_start|>', '<|python_end|>'],
    ['<|action_start|>', '<|action_end|>'],
    ['<|START_ACTION|>', '<|END_ACTION|>'],
    ['<|tools_prefix|>', '<|tools_suffix|>'],
    ['[unused11]', '[unused12]'],
  ),
  {
    openers: tagMarks,
    isMark: true,
    closers: ['DSML', 'GCML'].flatMap((mark) => [
      `</｜${mark}｜function_calls>`,
      `</｜${mark}｜tool_calls>`,
      `</｜${mark}｜ calls>`,
    ]),
    read: readWrapped,
  },
  {
    openers: [plamo('tool_requests'), plamo('tool_request')],
    closers: [plamo('tool_arguments')[1]],
    read: readWrapped,
  },
  // DeepSeek V4.1, without its marks.
  {
    openers: [['<calls>', '</calls>']],
    after: () => ({ whole: /^\s*<(?:invoke name=|｜)/, partial: /^\s*(?:<[a-z =]*)?$/ }),
    read: readWrapped,
  },
  headed(['functools', 'function call', '<|role_sep|>'], json),
  headed(['<|message_sep|>'], () => ({
    whole: /^\s*function call<\|role_sep\|>/,
    partial: /^\s*[a-z ]*(?:<[|a-z_]*)?$/,
  })),
  headed(['<|message_model|>'], () => ({
    whole: /^[^\s<]+<\|content_invoke_tool_json\|>/,
    partial: /^[^\s<]*(?:<[|a-z_]*)?$/,
  })),
  headed(['<|from|>assistant\n<|recipient|>', '<|recipient|>'], () => ({
    whole: /^(?!all\s)[^\s<]+\s*<\|content\|>/,
    partial: /^[^\s<]*\s*(?:<[|a-z]*)?$/,
  })),
]

/** Text between the marker and its body. */
const lead =
  /\s*(?:```\w*|<\|plugin\|>|(?:function call)?<\|role_sep\|>|[^\s<]{1,128}<\|content_invoke_tool_json\|>|\w{1,128}<\|tool_call:name\|>|<\|plamo:begin_tool_name:plamo\|>)?\s*/y

function readWrapped(section: Section): ParsedCalls {
  const { reader, index, opener } = section
  reader.match(lead)
  const inner = section.inner()
  if (inner) return inner
  return reader.text[reader.at] === '<'
    ? readElements(section, readTagName(opener))
    : resolveCalls(readBody(section), index)
}

const gemma = lazyPattern(() => `call:(${toolNamePattern})\\s*`, 'uy')
const callName = lazyPattern(
  () =>
    `(?:function\\n)?["']?(${toolNamePattern})["']?\\s*(?:\\[CALL_ID\\]\\s*\\w+\\s*)?(?:\\[ARGS\\]\\s*|<tool_sep>\\s*|<\\|plamo:end_tool_name:[^{]{0,90}|<\\|(?:content|tool_call:args)\\|>\\s*|[^<]{0,60}<\\|sep\\|>\\s*)?`,
  'uy',
)

function readBody({ reader, index }: Section): readonly ForeignCall[] {
  const gemmaName = reader.match(gemma())?.[1]
  if (gemmaName !== undefined) return [{ name: gemmaName, args: reader.value() }]
  const plainCalls = readPlainCalls(reader, index, true)
  if (plainCalls) return plainCalls
  const name = reader.match(callName())?.[1] ?? reader.fail()
  if (reader.text[reader.at] === '{') return [{ name, args: reader.value() }]
  return [{ name, texts: readArgumentPairs(reader) }]
}

const nameTags = ['name', 'tool_name', 'function_name', 'tool']
const nameTag = lazyPattern(
  () => `^\\s*<(${alternation(nameTags)})>\\s*(${toolNamePattern})\\s*</\\1>`,
  'u',
)
const argumentsTag = /^\s*<(arguments|args|parameters|params|input)>([\s\S]*)<\/\1>\s*$/

/** Reads tool tags, or elements with a name and its arguments. */
function readElements({ reader, index }: Section, wrapper: string | undefined): ParsedCalls {
  const { text, at: start } = reader
  const isClosed = wrapper === undefined ? skipElements(reader) : skipContent(reader, wrapper)
  if (reader.at === start) throw new Unreadable('cut off')
  const content = text.slice(start, reader.at)
  const namedCall = nameElement(content)
  if (!namedCall) return readBlock(content, withNamespaces(index))
  // A cut-off output could have contained further parameters.
  const isOpen = reader.isCut && !isClosed
  if (isOpen && !argumentsTag.test(namedCall.rest) && tryValue(namedCall.rest) === undefined)
    throw new Unreadable('cut off')
  return readNamed(namedCall, index)
}

interface NamedCall {
  readonly name: string
  /** Text after the element with the name. */
  readonly rest: string
}

/** Reads the tool's name from a separate element at the beginning of `text`. */
function nameElement(text: string): NamedCall | undefined {
  const found = nameTag().exec(text)
  return found ? { name: found[2] ?? '', rest: text.slice(found[0].length) } : undefined
}

/** Reads a call from the elements after its name: one with all arguments, or one for each argument. */
function readNamed({ name, rest }: NamedCall, index: ToolIndex): ParsedCalls {
  const args = argumentsTag.exec(rest)?.[2] ?? rest
  const value = tryValue(args)
  if (value !== undefined) return resolveCalls([{ name, args: value }], index)
  return readBlock(`<${name}>${args}</${name}>`, withNamespaces(index))
}

/** Skips to the wrapper's closer. If the closer is missing, skips only consecutive elements. */
function skipContent(reader: LiteralReader, wrapper: string): boolean {
  const end = endOfElement(reader.text, wrapper, reader.at)
  const closer = /<\/[^<>]*>$/.exec(reader.text.slice(Math.max(reader.at, end - 100), end))?.[0]
  const isClosed = closer?.slice(2).startsWith(wrapper) ?? false
  if (isClosed) reader.at = end - (closer?.length ?? 0)
  else skipElements(reader)
  return isClosed
}

/** Skips consecutive elements. Returns whether anything follows them. */
export function skipElements(
  reader: LiteralReader,
  accepts: (name: string) => boolean = () => true,
): boolean {
  while (skipElement(reader, accepts));
  return /\S/.test(reader.text.slice(reader.at))
}

/** Skips to the end of the next element. Returns false if there is none. */
function skipElement(reader: LiteralReader, accepts: (name: string) => boolean): boolean {
  const { at } = reader
  const tag = reader.match(/\s*<([^\s<>/|]+)[^<>]*?(\/?)>/y)
  const name = tag?.[1]
  if (name === undefined || !accepts(name)) {
    reader.at = at
    return false
  }
  if (tag?.[2] !== '/') reader.at = endOfElement(reader.text, name, reader.at)
  return true
}

function tryValue(text: string): JsonValue | undefined {
  if (!text.trim().startsWith('{')) return undefined
  try {
    return new LiteralReader(text).value()
  } catch {
    return undefined
  }
}
