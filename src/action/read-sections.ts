import { tooLong } from './malformed-calls.ts'
import { BlockCapture } from './block-capture.ts'
import { findThoughtEnd, readBlockContent } from './block-content.ts'
import type { CallsRead } from './block-reader.ts'
import { isBeginning } from './foreign/dialects/table.ts'
import { joinReads } from './foreign/foreign-call.ts'
import type { ForeignRead } from './foreign/foreign-call.ts'
import { ForeignDetector } from './foreign/foreign-detector.ts'
import { readForeign, readMarkedSections } from './foreign/read-foreign.ts'

import { isBlank, skipBlank } from './char-codes.ts'
import { matchOpener } from './block-opener.ts'
import { letter, walkText } from './own-text.ts'
import type { QuotationTracker } from './quotation-tracker.ts'
import type { ToolIndex } from './tool-index.ts'
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
  const rest = text.slice(read.end)
  return { ...read, prose: [], ...(!endsAnswer(rest) && { ignored: rest }) }
}

/**
 * Native mode (Q2, Q6): the calls of a text that are not quoted and end it. Undefined when it is text only.
 */
export function readOwnSections(
  text: string,
  index: ToolIndex,
  options: OwnSectionsOptions,
): SectionsRead | undefined {
  const { sections: found, thoughtEnd } = findSections(text, index, options)
  if (thoughtEnd !== undefined) return { calls: [], prose: [], thoughtEnd }
  // What follows what can't be read may stand in a value of it.
  const hasBlock =
    found[found.findIndex((section) => section.isBlock || isMalformed(section))]?.isBlock
  // R18: a block wins over other formats.
  const sections = found.filter((section, at) =>
    hasBlock ? section.isBlock : section.marked || isAlone(text, section, found[at + 1]),
  )
  const last = sections.at(-1)
  if (!last || !isEnd(text, last.end, index)) return undefined
  const prose = sections.map(({ start }, at) => text.slice(sections[at - 1]?.end ?? 0, start))
  const ignored = sections.map((section) => section.ignored ?? '').join('')
  return { ...joinReads(sections), prose, ...(ignored !== '' && { ignored }) }
}

/** Nothing of the model's own follows, or only the beginning of a marker, a closer or a listed call. */
function isEnd(text: string, at: number, index: ToolIndex): boolean {
  const rest = text.slice(at)
  if (endsAnswer(rest) || isBeginning(rest.trim())) return true
  const isListed = /[;,]\s*$/.test(text.slice(Math.max(0, at - 10), at))
  return isListed && index.tools.some(({ name }) => `${name}(`.startsWith(rest.trim()))
}

/** `thoughtEnd`: reasoning ends there that was never opened. */
function findSections(
  text: string,
  index: ToolIndex,
  options: OwnSectionsOptions,
): { readonly sections: readonly Section[]; readonly thoughtEnd?: number } {
  const starts = new ForeignDetector(index, true)
  const quotations = options.quotations.clone()
  const sections: Section[] = []
  let failures = 0
  const thoughtEnd = walkText({
    text,
    from: 0,
    step(at, { fenced, inRun, lineStart }) {
      if (fenced || failures > maxFailures) return undefined
      const code = text.charCodeAt(at)
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
      const end = at + text.slice(at, at + read.end).trimEnd().length
      sections.push({ ...read, start: at, end })
      return end
    },
  })
  // In what can't be read the closer may stand in a value.
  const isThought = thoughtEnd !== undefined && !sections.some(isMalformed)
  return { sections, ...(isThought && { thoughtEnd }) }
}

function isMalformed({ problem }: CallsRead): boolean {
  return problem?.code === 'malformed'
}

/** A call that no marker announces is one only when nothing but another call follows (R18). */
function isAlone(text: string, section: Section, next: Section | undefined): boolean {
  const rest = text.slice(section.end, next?.start)
  return next ? skipBlank(rest) === '' : endsAnswer(rest)
}

function readSection(
  text: string,
  index: ToolIndex,
  { maxLength, isCut }: OwnSectionsOptions,
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
