import { readBlock, type ParsedCalls, cutOffCalls, unreadableCalls } from '../block-reader.ts'
import type { ToolIndex } from '../tool-index.ts'
import { walkText } from '../code-tracker.ts'
import { isTagStart } from '../char-codes.ts'
import { endsAnswer, endsCalls } from '../pending-block.ts'
import { namedElements } from './dialects/dialect.ts'
import { findMarker, anyCloser, listClosers } from './dialects/table.ts'
import { skipElements } from './dialects/wrapped.ts'
import {
  callNamePattern,
  findTool,
  type ForeignCall,
  type ParsedSectionCalls,
  joinParsedCalls,
  resolveCalls,
  toolNamePattern,
} from './foreign-call.ts'
import { LiteralReader, Unreadable } from './literal-reader.ts'
import { readPlainCalls, readReact, startsReact } from './plain-calls.ts'
import { withoutTagMarks, writtenPosition } from './tags.ts'
import { lazyPattern } from '../../lib/once.ts'
import { loneClosers } from '../scan/reasoning-marks.ts'

const fence = /^\s*(`{3,}|~{3,})[^\n`]*\n/

export interface ForeignOptions {
  /** The text is inside a marker, so that any name is a call. */
  readonly marked?: boolean
  /** A limit cut the output off at the end of the text (R6). */
  readonly isCut?: boolean
}

/**
 * Returns the calls of a text that starts with a call in another format; otherwise undefined. Text after the
 * construct's own end never becomes part of it.
 */
export function readForeign(
  text: string,
  index: ToolIndex,
  { marked = false, isCut = false }: ForeignOptions = {},
): ParsedSectionCalls | undefined {
  const fenced = fence.exec(text)
  if (fenced) {
    const start = fenced[0].length
    const { content, end, isClosed } = fenceContent(text, start, fenced[1] ?? '')
    // Fences inside fences aren't read, since recursion could overflow the stack.
    if (fence.test(content)) return undefined
    const parsed = readMarkedSections(content, index, { marked, isCut: isCut && !isClosed })
    if (!parsed) return undefined
    const { thoughtEnd } = parsed
    return {
      ...parsed,
      // Other content of the fence isn't part of the calls.
      end: endsAnswer(content.slice(parsed.end)) ? end : start + parsed.end,
      ...(thoughtEnd !== undefined && { thoughtEnd: start + thoughtEnd }),
    }
  }
  const start = text.search(/\S/)
  if (start < 0) return undefined
  const reader = new LiteralReader(text, start, isCut)
  if (typeof findMarker(text, start) === 'object')
    return readOwnTag(reader, index) ?? readMarkedCalls(reader, index)
  try {
    const parsed =
      readReact(reader, index) ??
      (text[start] === '<'
        ? readBareTags(reader, index)
        : resolved(readPlainCalls(reader, index, marked), index))
    return parsed && { ...parsed, end: reader.at }
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown
    return thrown.cut && (startsReact(text) || namesTool(text.slice(start), index, marked))
      ? { ...cutOffCalls(), end: text.length }
      : undefined
  }
}

/**
 * Returns the calls at the start of a text. If a marker opens them, also returns every later marked call that is not in
 * code. Prose may separate the calls (Q6). Undefined if the text doesn't start with a call.
 */
export function readMarkedSections(
  text: string,
  index: ToolIndex,
  options: ForeignOptions,
): ParsedSectionCalls | undefined {
  const first = readForeign(text, index, options)
  if (!first?.marked || first.thoughtEnd !== undefined) return first
  const sections: ParsedSectionCalls[] = [first]
  const between: string[] = []
  let { end } = first
  let isOver = false
  const thoughtEnd = walkText({
    text,
    from: end,
    step(at, { lineStart, fenced, inRun }) {
      if (isOver || fenced || inRun || !(lineStart || isTagStart(text.charCodeAt(at))))
        return undefined
      const parsed =
        typeof findMarker(text, at) === 'object'
          ? readForeign(text.slice(at), index, options)
          : undefined
      if (!parsed) {
        isOver = endsCalls(text.slice(at, at + 40), lineStart)
        return undefined
      }
      sections.push(parsed)
      between.push(text.slice(end, at))
      end = at + parsed.end
      return end
    },
  })
  const calls = { ...joinParsedCalls(sections), end, between, marked: true }
  // An unreadable call may have contained the closing tag in a value.
  const isThought = thoughtEnd !== undefined && calls.problem?.code !== 'malformed'
  return isThought ? { ...calls, thoughtEnd } : calls
}

function resolved(
  calls: readonly ForeignCall[] | undefined,
  index: ToolIndex,
): ParsedCalls | undefined {
  return calls && resolveCalls(calls, index)
}

/** Reads the content of an ACTION block as calls in another format. Undefined if it has no such format. */
export function readForeignBlock(
  content: string,
  index: ToolIndex,
  isCut: boolean = false,
): ParsedSectionCalls | undefined {
  const text = withoutTagMarks(content)
  const start = text.search(/\S/)
  if (start < 0) return undefined
  const marker = findMarker(text, start)
  const isForeign =
    typeof marker === 'object'
      ? marker.dialect !== namedElements
      : blockStart().test(text.slice(start, start + 80))
  const parsed = isForeign ? readMarkedSections(text, index, { marked: true, isCut }) : undefined
  if (!parsed) return undefined
  const { end, thoughtEnd } = parsed
  return {
    ...parsed,
    end: writtenPosition(content, end),
    ...(thoughtEnd !== undefined && { thoughtEnd: writtenPosition(content, thoughtEnd) }),
  }
}

const blockStart = lazyPattern(() => `^(?:[{[\`~]|${callNamePattern}\\s*\\(|Action:)`, 'u')

function fenceContent(
  text: string,
  from: number,
  mark: string,
): { readonly content: string; readonly end: number; readonly isClosed: boolean } {
  const rest = text.slice(from)
  const closer = new RegExp(`^[ \\t]*${mark[0]}{${mark.length},}[ \\t\\r]*$`, 'm').exec(rest)
  if (!closer) return { content: rest, end: text.length, isClosed: false }
  const end = from + closer.index + closer[0].length
  return { content: rest.slice(0, closer.index), end, isClosed: true }
}

/** Visible text on the line. */
const visibleText = /^[ \t\u200b-\u200f\u2060]*[^\s<\u200b-\u200f\u2060]/

/** Reads consecutive tool tags without a block around them. */
function readBareTags(reader: LiteralReader, index: ToolIndex): ParsedCalls | undefined {
  const { text, at: start } = reader
  skipElements(reader, (name) => index.find(name) !== undefined)
  if (reader.at === start) return undefined
  const isTalk = visibleText.test(text.slice(reader.at, reader.at + 200))
  return isTalk ? undefined : readBlock(text.slice(start, reader.at), index)
}

/** Reads a tool whose name is that of a wrapper, if its tag contains its parameters. */
function readOwnTag(reader: LiteralReader, index: ToolIndex): ParsedSectionCalls | undefined {
  const { text, at: start } = reader
  // A wrapper's tag contains a list or `name(…)` instead.
  const name = /^<([^\s<>/]+)>\s*[<{]/.exec(text.slice(start, start + 100))?.[1]
  if (name === undefined || !index.find(name)) return undefined
  const parsed = readBareTags(reader, index)
  if (parsed && !parsed.problem) return { ...parsed, end: reader.at, marked: true }
  reader.at = start
  return undefined
}

const namedJson = lazyPattern(
  () =>
    `^[{[\\s]*["'](?:name|tool|function|tool_name|action)["']\\s*:\\s*["'](${toolNamePattern})(["']?)`,
  'u',
)
const namedPython = lazyPattern(
  () => `^\\[?\\s*(?:print\\(\\s*)?(${callNamePattern})(?:\\s*\\(|\\s*\\n\\s*\\{)`,
  'u',
)

/** Returns whether a cut-off construct counts as a call because it already names a registered tool. */
function namesTool(text: string, index: ToolIndex, marked: boolean): boolean {
  if (marked) return true
  const jsonMatch = namedJson().exec(text)
  const pythonMatch = namedPython().exec(text)
  const name = jsonMatch?.[1] ?? pythonMatch?.[1]
  if (name === undefined) return false
  if (jsonMatch?.[2] === '') return index.tools.some((tool) => tool.name.startsWith(name))
  return findTool(name, index) !== undefined
}

const closers = lazyPattern(
  () =>
    `(?:\\s*(?!${loneClosers()})(?:[;,]|${anyCloser()}|<\\|[\\w/]*(?:end|END|suffix|eom|eot)[\\w/]*\\|>|<\\|/\\w+\\|>))*`,
  'iy',
)
/** Start and end of a fence around a section's body. */
const sectionFence = /^[^`{]{0,200}```/
const fenceEnd = /\s*```/y

/** Maximum nesting of markers. */
const maxMarkers = 5

/**
 * Reads the calls after a marker, and any marked calls directly after them. Unreadable content is an error, never text.
 */
function readMarkedCalls(reader: LiteralReader, index: ToolIndex): ParsedSectionCalls {
  const results: ParsedCalls[] = []
  for (;;) {
    const start = reader.at
    try {
      const parsed = readMarkedSection(reader, index)
      if (!parsed) reader.fail()
      results.push(parsed)
    } catch (thrown) {
      if (!(thrown instanceof Unreadable)) throw thrown
      const parsed = thrown.cut ? cutOffCalls() : unreadableCalls()
      return { ...parsed, end: endOfUnreadable(reader.text, start), marked: true }
    }
    reader.match(closers())
    const section = reader.text.slice(start, reader.at)
    const isFenced = sectionFence.test(section) && section.split('```').length % 2 === 0
    if (isFenced && reader.match(fenceEnd)) reader.match(closers())
    const end = reader.at
    reader.skipSpace()
    if (typeof findMarker(reader.text, reader.at) !== 'object')
      return {
        ...joinParsedCalls(results),
        end: reader.text.slice(0, end).trimEnd().length,
        marked: true,
      }
  }
}

/** The position after the closing tag of an unreadable section, or the end of the text. */
function endOfUnreadable(text: string, start: number): number {
  const tag = /^<([A-Za-z_][\w:]*)/.exec(text.slice(start, start + 60))?.[1]
  const closer = tag === undefined ? -1 : text.indexOf(`</${tag}>`, start)
  return closer < 0 ? text.length : closer + `</${tag}>`.length
}

/** Reads only the section that begins here. Undefined if no section begins here. Throws `Unreadable`. */
export function readMarkedSection(
  reader: LiteralReader,
  index: ToolIndex,
  markers: number = 1,
): ParsedCalls | undefined {
  const start = reader.at
  const marker = findMarker(reader.text, start)
  if (typeof marker !== 'object') return undefined
  if (markers > maxMarkers) throw new Unreadable('not a literal')
  const { dialect, opener } = marker
  const outer = reader.limits
  reader.limits = [...outer, { opener, closers: listClosers(dialect) }]
  reader.at += opener.length
  const inner = (): ParsedCalls | undefined => readMarkedSection(reader, index, markers + 1)
  const parsed = dialect.read({ reader, index, start, opener, inner })
  reader.limits = outer
  return parsed
}
