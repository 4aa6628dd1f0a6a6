import type { CallsRead } from '../block-reader.ts'
import { cutOff, unreadable } from '../malformed-calls.ts'
import type { ToolIndex } from '../tool-index.ts'
import { loneClosers } from '../scan/reasoning-marks.ts'
import { anyCloser, closersOf, findMarker } from './dialects/table.ts'
import { joinReads } from './foreign-call.ts'
import type { ForeignRead } from './foreign-call.ts'
import type { LiteralReader } from './literal-reader.ts'
import { Unreadable } from './literal-reader.ts'
import { lazyPattern } from '../../lib/once.ts'

const closers = lazyPattern(
  () =>
    `(?:\\s*(?!${loneClosers()})(?:[;,]|${anyCloser()}|<\\|[\\w/]*(?:end|END|suffix|eom|eot)[\\w/]*\\|>|<\\|/\\w+\\|>))*`,
  'iy',
)
/** Start and end of a fence around a section's body. */
const fence = /^[^`{]{0,200}```/
const fenceEnd = /\s*```/y

/** Deepest nesting of markers. */
const maxMarkers = 5

/** Reads the calls after a marker, and the calls right after them. Unreadable content is an error, never text. */
export function readMarkedCalls(reader: LiteralReader, index: ToolIndex): ForeignRead {
  const reads: CallsRead[] = []
  for (;;) {
    const start = reader.at
    try {
      const read = readSection(reader, index)
      if (!read) reader.fail()
      reads.push(read)
    } catch (thrown) {
      if (!(thrown instanceof Unreadable)) throw thrown
      const read = thrown.cut ? cutOff() : unreadable()
      return { ...read, end: endOfUnreadable(reader.text, start), marked: true }
    }
    reader.match(closers())
    const section = reader.text.slice(start, reader.at)
    const isFenced = fence.test(section) && section.split('```').length % 2 === 0
    if (isFenced && reader.match(fenceEnd)) reader.match(closers())
    const end = reader.at
    reader.skipSpace()
    if (typeof findMarker(reader.text, reader.at) !== 'object')
      return { ...joinReads(reads), end: reader.text.slice(0, end).trimEnd().length, marked: true }
  }
}

/** The position after the closing tag of an unreadable section, or the end of the text. */
function endOfUnreadable(text: string, start: number): number {
  const tag = /^<([A-Za-z_][\w:]*)/.exec(text.slice(start, start + 60))?.[1]
  const closer = tag === undefined ? -1 : text.indexOf(`</${tag}>`, start)
  return closer < 0 ? text.length : closer + `</${tag}>`.length
}

/** Reads only the section that begins here; undefined when there is none. Throws `Unreadable`. */
function readSection(
  reader: LiteralReader,
  index: ToolIndex,
  markers: number = 1,
): CallsRead | undefined {
  const start = reader.at
  const marker = findMarker(reader.text, start)
  if (typeof marker !== 'object') return undefined
  if (markers > maxMarkers) throw new Unreadable('not a literal')
  const { dialect, opener } = marker
  const outer = reader.limits
  reader.limits = [...outer, { opener, closers: closersOf(dialect) }]
  reader.at += opener.length
  const inner = (): CallsRead | undefined => readSection(reader, index, markers + 1)
  const read = dialect.read({ reader, index, start, opener, inner })
  reader.limits = outer
  return read
}
