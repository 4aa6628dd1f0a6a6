import { tooLong } from './malformed-calls.ts'
import { BlockCapture } from './block-capture.ts'
import { readBlock } from './block-reader.ts'
import type { CallsRead } from './block-reader.ts'
import type { ActionCall } from './call-arguments.ts'
import { CodeTracker } from './code-tracker.ts'
import type { ForeignRead } from './foreign/foreign-call.ts'
import { matchMarker } from './foreign/markers.ts'
import { ForeignDetector } from './foreign/foreign-detector.ts'
import { readForeign, readForeignBlock } from './foreign/read-foreign.ts'

import { matchOpener } from './block-opener.ts'
import type { QuotationTracker } from './quotation-tracker.ts'
import type { ToolIndex } from './tool-index.ts'
import { endsAnswer, matchMadeUp } from './trailing-text.ts'

/** The most positions where a call seems to start and none does: each costs some reading. */
const maxFailures = 500

/** The calls of all sections of a text, in order (R16). */
export interface SectionsRead extends CallsRead {
  /** The text around them, which is part of the reply. */
  readonly prose: readonly string[]
}

interface SectionRead extends ForeignRead {
  /** An ACTION block. */
  readonly isBlock?: boolean
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

/**
 * The calls of a text that starts with a call in another format, and of marked ones that follow at the
 * start of a line, prose between them or not (Q6); undefined when it is no call.
 */
export function readSections(
  text: string,
  index: ToolIndex,
  isCut: boolean,
): SectionsRead | undefined {
  const first = readForeign(text, index, { isCut })
  if (!first?.marked) return first && { ...first, prose: [] }
  const sections: ForeignRead[] = [first]
  const tracker = new CodeTracker()
  let isLine = false
  for (let at = first.end; at < text.length;) {
    tracker.flush()
    isLine = tracker.lineStart && !tracker.fenced && at > first.end
    if (isLine && matchMadeUp(text.slice(at, at + 40)) === true) break
    if (isLine && matchMarker(text, at) === true) {
      const read = readForeign(text.slice(at), index, { isCut })
      if (!read) break
      sections.push(read)
      at += read.end
      tracker.feed(text.charCodeAt(at - 1))
      continue
    }
    tracker.feed(text.charCodeAt(at))
    at++
  }
  return { ...joined(sections), prose: [] }
}

/**
 * Native mode (Q2, Q6): the calls of a text that are not quoted and end it. Undefined when it is text only.
 */
export function readOwnSections(
  text: string,
  index: ToolIndex,
  options: OwnSectionsOptions,
): SectionsRead | undefined {
  const found = findSections(text, index, options)
  const hasBlock = found.some(({ isBlock }) => isBlock)
  // R18: a block wins over other formats.
  const sections = found.filter((section, at) =>
    hasBlock ? section.isBlock : section.marked || isAlone(text, section, found[at + 1]),
  )
  const last = sections.at(-1)
  if (!last || !endsAnswer(text.slice(last.end))) return undefined
  const prose = sections.map(({ start }, at) => text.slice(sections[at - 1]?.end ?? 0, start))
  return { ...joined(sections), prose }
}

function findSections(text: string, index: ToolIndex, options: OwnSectionsOptions): Section[] {
  const starts = new ForeignDetector(index, true)
  const quotations = options.quotations.clone()
  const tracker = new CodeTracker()
  const sections: Section[] = []
  let failures = 0
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at)
    tracker.flush()
    const { lineStart } = tracker
    if (code > 32 && !tracker.fenced) {
      const matcher = starts.match(text, { at, lineStart, quotations })
      const read =
        typeof matcher === 'object' && !tracker.inRun
          ? readSection(text.slice(at), index, options)
          : undefined
      if (typeof matcher === 'object' && !read && ++failures > maxFailures) break
      if (read) {
        const end = at + text.slice(at, at + read.end).trimEnd().length
        sections.push({ ...read, start: at, end })
        at = end
        // What follows is not at the start of the line.
        tracker.feed(code)
        quotations.feed(code)
        continue
      }
    }
    if (!tracker.fenced) quotations.feed(code)
    tracker.feed(code)
    at++
  }
  return sections
}

/** A call that no marker announces is one only when nothing but another call follows (R18). */
function isAlone(text: string, section: Section, next: Section | undefined): boolean {
  const rest = text.slice(section.end, next?.start)
  return next ? rest.trim() === '' : endsAnswer(rest)
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
  const read =
    capture.state === 'too-long'
      ? tooLong()
      : (readForeignBlock(content, index, isCut && capture.state === 'open') ??
        readBlock(content, index))
  return { ...read, end: text.length - rest.length, marked: true, isBlock: true }
}

/** R16: up to the first invalid call; a malformed section runs nothing. */
function joined(sections: readonly CallsRead[]): CallsRead {
  const malformed = sections.find(({ problem }) => problem?.code === 'malformed')
  if (malformed) return malformed
  const calls: ActionCall[] = []
  for (const { calls: more, problem, problemTool } of sections) {
    calls.push(...more)
    if (problem) return { calls, problem, ...(problemTool !== undefined && { problemTool }) }
  }
  return { calls }
}
