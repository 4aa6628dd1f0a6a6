import { tooLong } from './malformed-calls.ts'
import { BlockCapture } from './block-capture.ts'
import { findThoughtEnd, readBlockContent } from './block-content.ts'
import type { CallsRead } from './block-reader.ts'
import { isBeginning } from './foreign/dialects/table.ts'
import { joinReads } from './foreign/foreign-call.ts'
import type { ForeignRead } from './foreign/foreign-call.ts'
import { ForeignDetector } from './foreign/foreign-detector.ts'
import { startsReact } from './foreign/react-calls.ts'
import { readForeign, readMarkedSections } from './foreign/read-foreign.ts'
import { isBlank, skipBlank } from './char-codes.ts'
import { matchOpener } from './block-opener.ts'
import { startsMadeUp } from './made-up.ts'
import { letter, walkText } from './own-text.ts'
import type { QuotationTracker } from './quotation-tracker.ts'
import type { ToolIndex } from './tool-index.ts'
import { endOfTurn } from './stop-tokens.ts'
import { endsAnswer } from './trailing-text.ts'

/** The most positions where a call seems to start and none does: each costs some reading. */
const maxFailures = 500

/** The calls of all sections of a text, in order (R16). */
export interface SectionsRead extends CallsRead {
  /** The text around them, which is part of the reply. */
  readonly prose: readonly string[]
  /** What follows them, and is none of the reply (R18). */
  readonly ignored?: string
  /** They are a thought, up to here (R5). */
  readonly thoughtEnd?: number
}

interface SectionRead extends ForeignRead {
  /** An ACTION block. */
  readonly isBlock?: boolean
  /** What follows its calls in it. */
  readonly ignored?: string
}

interface Section extends SectionRead {
  readonly start: number
}

interface OwnSectionsOptions {
  /** The state of quotations where the text starts. */
  readonly quotations: QuotationTracker
  /** Of a block, in characters. */
  readonly maxLength: number
  /** A limit cut the output off where the text ends. */
  readonly isCut: boolean
}

/** The calls of a text that starts with a call in another format; undefined when it is none. */
export function readSections(
  text: string,
  index: ToolIndex,
  isCut: boolean,
): SectionsRead | undefined {
  const read = readMarkedSections(text, index, { isCut })
  if (!read) return undefined
  const others = [...(read.between ?? []), text.slice(read.end)]
  const ignored = others.filter((each) => !endsAnswer(each)).join('')
  return { ...read, prose: [], ...(ignored !== '' && { ignored }) }
}

/**
 * Native mode (Q2, Q6): the calls of a text that are not quoted and end it. Undefined when it is text only.
 */
export function readOwnSections(
  text: string,
  index: ToolIndex,
  options: OwnSectionsOptions,
): SectionsRead | undefined {
  const { sections: found, end, thoughtEnd } = findSections(text, index, options)
  if (thoughtEnd !== undefined) return { calls: [], prose: [], thoughtEnd }
  const own = text.slice(0, end)
  // What follows what can't be read may stand in a value of it.
  const hasBlock =
    found[found.findIndex((section) => section.isBlock || isMalformed(section))]?.isBlock
  // R18: a block wins over other formats.
  const sections = found.filter((section, at) =>
    hasBlock ? section.isBlock : section.marked || isAlone(own, section, found[at + 1]),
  )
  const last = sections.at(-1)
  if (!last || !isEnd(own, last.end, index)) return undefined
  const prose = sections.map(({ start }, at) => text.slice(sections[at - 1]?.end ?? 0, start))
  const ignored = [...sections.map((section) => section.ignored), text.slice(end)].join('')
  return { ...joinReads(sections), prose, ...(ignored !== '' && { ignored }) }
}

/** Nothing of the model's own follows, or only the beginning of a marker, a closer or a listed call. */
function isEnd(text: string, at: number, index: ToolIndex): boolean {
  const rest = text.slice(at)
  if (endsAnswer(rest) || isBeginning(rest.trim()) || endOfTurn(rest.trim()) === 'partial')
    return true
  // A bracket is the last of a line in a section that isn't closed: another line may follow, or its fence's end.
  const isListed = /[;,)]\s*$/.test(text.slice(Math.max(0, at - 10), at))
  const next = index.tools.map(({ name }) => `${name}(`)
  return isListed && ['```', ...next].some((each) => each.startsWith(rest.trim()))
}

/** `end`: of the model's own words. `thoughtEnd`: reasoning ends there that was never opened. */
function findSections(
  text: string,
  index: ToolIndex,
  options: OwnSectionsOptions,
): { readonly sections: readonly Section[]; readonly end: number; readonly thoughtEnd?: number } {
  const starts = new ForeignDetector(index, true)
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
      const matcher = !isBlank(code) ? starts.match(text, { at, lineStart, quotations }) : undefined
      const isStart = typeof matcher === 'object'
      const read = isStart && !inRun ? readSection(text.slice(at), index, options) : undefined
      // The call itself quotes nothing.
      quotations.feed(read ? letter : code)
      if (!read) {
        if (isStart) failures++
        return undefined
      }
      // There the walk ends.
      if (read.thoughtEnd !== undefined) return at + read.thoughtEnd
      const after = at + text.slice(at, at + read.end).trimEnd().length
      sections.push({ ...read, start: at, end: after })
      return after
    },
  })
  // In what can't be read the closer may stand in a value.
  const isThought = thoughtEnd !== undefined && !sections.some(isMalformed)
  return { sections, end, ...(isThought && { thoughtEnd }) }
}

function isMalformed({ problem }: CallsRead): boolean {
  return problem?.code === 'malformed'
}

/** ReAct's word, where it is no line of prose. */
const observation = /^Observation:[ \t\r]*(?:\n|$)/

/** R4: the model goes on in somebody else's name at a position, right after the last call or where a line starts. */
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
  if (startsMadeUp(window, lineStart) !== true) return false
  if (window.startsWith('O'))
    return startsReact(text.slice(last.start, last.end)) || observation.test(window)
  return lineStart || endsAnswer(text.slice(last.end, at))
}

/** A call that no marker announces is one only when nothing but another call follows (R18). */
function isAlone(text: string, section: Section, next: Section | undefined): boolean {
  const rest = text.slice(section.end, next?.start)
  return next ? skipBlank(rest) === '' : endsAnswer(rest)
}

/** The section at the beginning of a text: an ACTION block, or a call in another format; undefined when it is none. */
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
  const read =
    capture.state === 'too-long' ? tooLong() : readBlockContent(content, index, isCut && isOpen)
  const thoughtEnd = isOpen ? findThoughtEnd(content, index) : undefined
  return {
    ...read,
    end: text.length - rest.length,
    marked: true,
    isBlock: true,
    ...(thoughtEnd !== undefined && { thoughtEnd: opener.end + thoughtEnd }),
  }
}
