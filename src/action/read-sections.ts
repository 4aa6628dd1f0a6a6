import { tooLongCalls, type ParsedCalls, readBlock } from './block-reader.ts'
import { BlockCapture, matchOpener, endsAnswer } from './pending-block.ts'
import { isBeginning } from './foreign/dialects/table.ts'
import { type ParsedSectionCalls, joinParsedCalls } from './foreign/foreign-call.ts'
import { ForeignDetector } from './foreign/foreign-detector.ts'
import { startsReact } from './foreign/plain-calls.ts'
import { readForeign, readForeignBlock, readMarkedSections } from './foreign/read-foreign.ts'
import { isBlank, skipBlank } from './char-codes.ts'
import { matchTurnEnd, startsHallucination } from './made-up.ts'
import { letter, walkText } from './code-tracker.ts'
import type { QuotationTracker } from './quotation-tracker.ts'
import type { ToolIndex } from './tool-index.ts'
import { skipElements } from './foreign/dialects/wrapped.ts'
import { LiteralReader } from './foreign/literal-reader.ts'

/** Returns the calls of a block. `ignored`: text after calls in another format. */
export function readBlockContent(
  content: string,
  index: ToolIndex,
  isCut: boolean,
): ParsedCalls & { readonly ignored?: string } {
  const foreign = readForeignBlock(content, index, isCut)
  if (!foreign) return readBlock(content, index)
  const rest = content.slice(foreign.end)
  return { ...foreign, ...(!endsAnswer(rest) && { ignored: rest }) }
}

/**
 * Returns the position of a closing reasoning tag without an opening tag, in an unclosed block but outside of its calls
 * (R5).
 */
export function reasoningEnd(content: string, index: ToolIndex): number | undefined {
  const foreign = readForeignBlock(content, index)
  if (foreign) return foreign.thoughtEnd
  const reader = new LiteralReader(content)
  const end = walkText({
    text: content,
    from: 0,
    step(at, { fenced, inRun }) {
      if (fenced || inRun || content[at] !== '<') return undefined
      reader.at = at
      skipElements(reader)
      return reader.at > at ? reader.at : undefined
    },
  })
  if (end === undefined) return undefined
  // The closing tag may be part of a value in unreadable content.
  return readBlock(content.slice(0, end), index).problem?.code === 'malformed' ? undefined : end
}

/** Maximum failed attempts to read a call in one text, because each takes time. */
const maxFailures = 500

/** The calls of all sections of a text, in order (R16). */
export interface ParsedSections extends ParsedCalls {
  /** Text around the calls, which is part of the reply. */
  readonly prose: readonly string[]
  /** Text after the calls, which isn't part of the reply (R18). */
  readonly ignored?: string
  /** The text is reasoning up to this position, and so are the calls in it (R5). */
  readonly thoughtEnd?: number
}

interface SectionRead extends ParsedSectionCalls {
  /** The section is an ACTION block. */
  readonly isBlock?: boolean
  /** Text within the section, after its calls. */
  readonly ignored?: string
}

interface Section extends SectionRead {
  readonly start: number
}

interface OwnSectionsOptions {
  /** State of quotations at the start of the text. */
  readonly quotations: QuotationTracker
  /** Maximum length of a block, in characters. */
  readonly maxLength: number
  /** A limit cut the output off at the end of the text. */
  readonly isCut: boolean
}

/** Returns the calls of a text that starts with a call in another format. Undefined if the text doesn't. */
export function readSections(
  text: string,
  index: ToolIndex,
  isCut: boolean,
): ParsedSections | undefined {
  const parsed = readMarkedSections(text, index, { isCut })
  if (!parsed) return undefined
  const otherTexts = [...(parsed.between ?? []), text.slice(parsed.end)]
  const ignored = otherTexts.filter((each) => !endsAnswer(each)).join('')
  return { ...parsed, prose: [], ...(ignored !== '' && { ignored }) }
}

/** Native mode (Q2, Q6): returns the unquoted calls at the end of a text. Undefined if there are none. */
export function readOwnSections(
  text: string,
  index: ToolIndex,
  options: OwnSectionsOptions,
): ParsedSections | undefined {
  const { sections: found, end, thoughtEnd } = findSections(text, index, options)
  if (thoughtEnd !== undefined) return { calls: [], prose: [], thoughtEnd }
  const ownText = text.slice(0, end)
  // An unreadable section may contain a block as part of a value.
  const hasBlock =
    found[found.findIndex((section) => section.isBlock || isMalformed(section))]?.isBlock
  // R18: a block takes precedence over other formats.
  const sections = found.filter((section, at) =>
    hasBlock ? section.isBlock : section.marked || isAlone(ownText, section, found[at + 1]),
  )
  const last = sections.at(-1)
  if (!last || !isEnd(ownText, last.end, index)) return undefined
  const prose = sections.map(({ start }, at) => text.slice(sections[at - 1]?.end ?? 0, start))
  const ignored = [...sections.map((section) => section.ignored), text.slice(end)].join('')
  return { ...joinParsedCalls(sections), prose, ...(ignored !== '' && { ignored }) }
}

/** Returns whether the model's own text ends here. The beginning of a marker, a closer or a listed call may follow. */
function isEnd(text: string, at: number, index: ToolIndex): boolean {
  const rest = text.slice(at)
  if (endsAnswer(rest) || isBeginning(rest.trim()) || matchTurnEnd(rest.trim()) === 'partial')
    return true
  // The bracket may end a line of an unclosed section. Another line or the end of its fence may follow.
  const isListed = /[;,)]\s*$/.test(text.slice(Math.max(0, at - 10), at))
  const next = index.tools.map(({ name }) => `${name}(`)
  return isListed && ['```', ...next].some((each) => each.startsWith(rest.trim()))
}

/** `end`: end of the model's own text. `thoughtEnd`: position of a closing reasoning tag without an opening tag. */
function findSections(
  text: string,
  index: ToolIndex,
  options: OwnSectionsOptions,
): { readonly sections: readonly Section[]; readonly end: number; readonly thoughtEnd?: number } {
  const detector = new ForeignDetector(index, true)
  const quotations = options.quotations.clone()
  const sections: Section[] = []
  let failures = 0
  let end = text.length
  const thoughtEnd = walkText({
    text,
    from: 0,
    step(at, { fenced, inRun, lineStart }) {
      if (fenced || failures > maxFailures || at >= end) return undefined
      const code = text.charCodeAt(at)
      const last = sections.at(-1)
      if (last && !inRun && !quotations.isQuoted && isMadeUp(text, { at, lineStart, last }))
        end = at
      const matcher = !isBlank(code)
        ? detector.match(text, { at, lineStart, quotations })
        : undefined
      const isStart = typeof matcher === 'object'
      const parsed = isStart && !inRun ? readSection(text.slice(at), index, options) : undefined
      // Text inside a call can't start a quotation.
      quotations.feed(parsed ? letter : code)
      if (!parsed) {
        if (isStart) failures++
        return undefined
      }
      // Ends the walk: all text so far is reasoning.
      if (parsed.thoughtEnd !== undefined) return at + parsed.thoughtEnd
      const sectionEnd = at + text.slice(at, at + parsed.end).trimEnd().length
      sections.push({ ...parsed, start: at, end: sectionEnd })
      return sectionEnd
    },
  })
  // If a section is unreadable, the closing reasoning tag may be part of a value in it.
  const isThought = thoughtEnd !== undefined && !sections.some(isMalformed)
  return { sections, end, ...(isThought && { thoughtEnd }) }
}

function isMalformed({ problem }: ParsedCalls): boolean {
  return problem?.code === 'malformed'
}

/** ReAct's keyword, alone on its line. */
const observation = /^Observation:[ \t\r]*(?:\n|$)/

/**
 * R4: returns whether the model starts to write as somebody else here. Tested right after the last call and at the
 * start of a line.
 */
function isMadeUp(
  text: string,
  {
    at,
    lineStart,
    last,
  }: { readonly at: number; readonly lineStart: boolean; readonly last: Section },
): boolean {
  if (!/[<[O]/.test(text[at] ?? '')) return false
  const window = text.slice(at, at + 60)
  if (startsHallucination(window, lineStart) !== true) return false
  if (window.startsWith('O'))
    return startsReact(text.slice(last.start, last.end)) || observation.test(window)
  return lineStart || endsAnswer(text.slice(last.end, at))
}

/** Whether the call, which has no marker, counts (R18). Nothing but another call may follow. */
function isAlone(text: string, section: Section, next: Section | undefined): boolean {
  const rest = text.slice(section.end, next?.start)
  return next ? skipBlank(rest) === '' : endsAnswer(rest)
}

/**
 * Returns the section at the beginning of a text: an ACTION block, or a call in another format. Undefined if no section
 * begins there.
 */
export function readSection(
  text: string,
  index: ToolIndex,
  { maxLength, isCut }: Pick<OwnSectionsOptions, 'maxLength' | 'isCut'>,
): SectionRead | undefined {
  const opener = matchOpener(text, 0, true)
  if (typeof opener !== 'object') return readForeign(text, index, { isCut })
  const capture = new BlockCapture({ context: 'prose', opener, maxLength })
  const body = text.slice(opener.end)
  const rest = opener.selfClosing ? body : capture.push(body)
  if (capture.state === 'text' || (capture.state === 'open' && capture.isMention)) return undefined
  const { content } = capture
  const isOpen = capture.state === 'open'
  const parsed =
    capture.state === 'too-long'
      ? tooLongCalls()
      : readBlockContent(content, index, isCut && isOpen)
  const thoughtEnd = isOpen ? reasoningEnd(content, index) : undefined
  return {
    ...parsed,
    end: text.length - rest.length,
    marked: true,
    isBlock: true,
    ...(thoughtEnd !== undefined && { thoughtEnd: opener.end + thoughtEnd }),
  }
}
