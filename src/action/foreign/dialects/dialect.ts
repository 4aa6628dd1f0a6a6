import { type ParsedCalls, readBlock } from '../../block-reader.ts'
import type { ToolIndex } from '../../tool-index.ts'
import { type LiteralReader, readTaggedValue, Unreadable } from '../literal-reader.ts'
import { dropOuterLines } from '../../xml.ts'
import { callsOfJson } from '../plain-calls.ts'
import {
  findTool,
  joinParsedCalls,
  resolveCalls,
  toolNamePattern,
  withNamespaces,
} from '../foreign-call.ts'
import { lazyPattern, once } from '../../../lib/once.ts'
import { endOfElement } from '../tags.ts'

const tags = ['invoke', 'antml:invoke', 'steptml:invoke', 'function']
const opening = /<((?:\w+:)?(?:invoke|function))\s[^<>]*?(\/?)>/y

/**
 * `<invoke name="…"><parameter name="…">…` of Anthropic, MiniMax, DeepSeek and Step; MiniCPM's `<function name="…">`.
 */
export const namedElements: Dialect = {
  openers: tags.map((tag) => [`<${tag} name=`, `</${tag}>`]),
  after: () => ({ whole: /^["']/, partial: /^$/ }),
  read({ reader, index, start }) {
    reader.at = start
    return readNamedElement(reader, index) ?? reader.fail()
  },
}

/** Reads an element with the tool's name in an attribute. Undefined if no such element comes next. */
function readNamedElement(reader: LiteralReader, index: ToolIndex): ParsedCalls | undefined {
  const start = reader.at
  const tag = reader.match(opening)
  if (!tag) return undefined
  if (tag[2] !== '/') reader.at = endOfElement(reader.text, tag[1] ?? '', reader.at)
  return readBlock(reader.text.slice(start, reader.at), withNamespaces(index))
}

const name = lazyPattern(() => `\\s*["']?(${toolNamePattern})["']?\\s*>\\s*`, 'uy')
const parameter = /\s*<parameter=\s*["']?([^<>"'\s]+)["']?\s*>/y
const marks =
  /<\/parameter\s*>(\s*(?:<parameter=|<\/function\s*>|<\/tool_call\s*>))?|(<\/function\s*>(?![ \t]*[^\s<]|\s*<\/parameter))|(<function=[^<>]{1,100}>\s*<parameter=)|<parameter=\s*["']?([^<>"'\s]+)["']?\s*>/g

/** Qwen3-Coder: `<function=name><parameter=x>…` with raw text, not decoded. Functionary and Llama put JSON inside. */
export const functionTags: Dialect = {
  openers: [['<function=', '</function>']],
  after: once(() => ({
    whole: new RegExp(`^\\s*["']?${toolNamePattern}["']?\\s*>`, 'u'),
    partial: new RegExp(`^\\s*["']?(?:${toolNamePattern})?["']?\\s*$`, 'u'),
  })),
  closers: ['</parameter>'],
  read({ reader, index }) {
    const tool = reader.match(name())?.[1]
    if (tool === undefined) throw new Unreadable('cut off')
    if (reader.text[reader.at] === '{') {
      const args = reader.value()
      endFunction(reader)
      return resolveCalls(callsOfJson({ name: tool, arguments: args }, index, true) ?? [], index)
    }
    const properties = findTool(tool, index)?.input.properties
    const isName = (candidate: string): boolean => properties?.has(candidate) === true
    const texts: [string, string][] = []
    for (let found = reader.match(parameter); found; found = reader.match(parameter))
      texts.push([found[1] ?? '', dropOuterLines(readTaggedValue(reader, { marks, isName }))])
    endFunction(reader)
    return resolveCalls([{ name: tool, texts }], index)
  },
}

function endFunction(reader: LiteralReader): void {
  if (reader.match(/\s*<\/function\s*>|\s*(?=<\/tool_call\s*>)/y)) return
  throw new Unreadable(reader.text.includes('</function', reader.at) ? 'not a literal' : 'cut off')
}

const callOpener = /\s*<[|｜]tool[▁_]call[▁_]begin[|｜]>/y
const header =
  /((?:(?!<[|｜]tool[▁_]call[▁_](?:end|begin)|<\w+:invoke\s)[^{[])*?)(?=[{[]|<\w+:invoke\s|<[|｜]tool[▁_]call[▁_]end[|｜]>)/y
const separator = /<[|｜]tool[▁_](?:sep|call[▁_]argument[▁_]begin)[|｜]>|```(?:json)?/
const ending = /\s*(?:```)?\s*<[|｜]tool[▁_]call[▁_]end[|｜]>/y
const spellings = ['|', '｜'].flatMap((bars) =>
  ['_', '▁'].map((blanks) => (words: string) => `<${bars}${words.replaceAll(' ', blanks)}${bars}>`),
)

function spell(words: string): [string, string][] {
  return spellings.map((write) => [write(`${words} begin`), write(`${words} end`)])
}

/** Special tokens of DeepSeek, Kimi and Step, with full-width or ASCII bars and blocks. */
export const tokenSections: readonly Dialect[] = [
  {
    openers: [
      ...spell('tool calls'),
      ...spell('tool calls section'),
      ...spell('tool call section'),
    ],
    closers: spell('tool call').map(([, closer]) => closer),
    read(section) {
      const results: ParsedCalls[] = []
      while (section.reader.match(callOpener)) results.push(readCall(section))
      if (results.length === 0) throw new Unreadable('cut off')
      return joinParsedCalls(results)
    },
  },
  { openers: spell('tool call'), read: readCall },
]

/** Reads a single call, after its opener. */
function readCall({ reader, index }: Section): ParsedCalls {
  const parts = reader.match(header)?.[1]?.split(separator)
  if (!parts) throw new Unreadable('cut off')
  const element = readNamedElement(reader, index)
  if (element) {
    reader.match(ending)
    return element
  }
  const name = parts.map((part) => part.trim()).findLast((part) => part !== '')
  if (name === undefined) throw new Unreadable('not a literal')
  const args = reader.text[reader.at] === '{' ? reader.value() : {}
  if (!reader.match(ending) && !reader.ended) throw new Unreadable('not a literal')
  return resolveCalls([{ name, args }], index)
}

/** A call format with a marker, and its rules. */
export interface Dialect {
  /**
   * Openers of a call or a list of calls, as written. While the text streams, all text up to the closer is content. If
   * the closer is missing, brackets end the call.
   */
  readonly openers: readonly (readonly [opener: string, closer?: string])[]
  /** The openers are marks in tags. The first tag's name follows, and is also part of the closer. */
  readonly isMark?: true
  /** Text required after an opener that people also write. If missing, the opener is plain text. */
  readonly after?: () => Continuation
  /** Additional closers. */
  readonly closers?: readonly string[]
  /** Reads one section, starting after its opener. Throws `Unreadable`. */
  read(section: Section): ParsedCalls
}

/** Tests the text right after an opener. `partial`: more text may complete it. */
export interface Continuation {
  readonly whole: RegExp
  readonly partial: RegExp
}

/** A section being read. */
export interface Section {
  readonly reader: LiteralReader
  readonly index: ToolIndex
  /** Start of the opener. */
  readonly start: number
  readonly opener: string
  /** Reads a nested section at the reader's position; undefined if there is none. */
  inner(): ParsedCalls | undefined
}

/** Returns the name in an opening tag without attributes: `<name>`. */
export function readTagName(opener: string): string | undefined {
  return /^<([\w:-]+)>$/.exec(opener)?.[1]
}
