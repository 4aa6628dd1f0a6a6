import { refOf } from '../refs.ts'
import { follows, type Entry } from './entry.ts'
import { leftOutInside, leftOutLine, sizeOfAll, type Size } from './left-out.ts'

/** Lines of an outline to show, by their entries. */
export interface Shown {
  readonly lines: ReadonlyMap<Entry, string>
  /** Whether a short gap between lines gets a bare sign, since there is no room for marks. */
  readonly isTight: boolean
  /** Entries before this element get no marks, either. */
  readonly from: Element | null
}

/** Lines that a bare sign may stand for. More get a mark that counts them. */
const FEW_LINES = 3

/** The text of an outline, with a mark for everything that is left out. */
export function render(entries: readonly Entry[], shown: Shown, depth = 0): string {
  const indent = '  '.repeat(depth)
  const isBeside = shown.isTight && depth > 0 && entries.some((entry) => shown.lines.has(entry))
  let text = ''
  let skipped: Entry[] = []
  const flush = (isBetween: boolean): void => {
    const first = skipped[0]
    if (first) text += `${indent}- ${leftOut(skipped, first, isBetween || isBeside)}\n`
    skipped = []
  }
  for (const entry of entries) {
    // Elements that were not walked are counted in the mark before them: one mark for both.
    const goesOn = skipped.length > 0 && entry.isOmission
    const line = goesOn ? undefined : shown.lines.get(entry)
    if (line === undefined) {
      if (!shown.from || follows(entry, shown.from)) skipped.push(entry)
      continue
    }
    // A bare sign may stand between two lines, or inside one. Before the first line it would give no place to read on
    // from.
    flush(shown.isTight && text !== '')
    text += `${indent}- ${withChildren(entry, line, { shown, depth })}`
  }
  flush(false)
  return text
}

function leftOut(skipped: readonly Entry[], first: Entry, mayBeBare: boolean): string {
  const size = sizeOfAll(skipped)
  return mayBeBare && isFew(size) ? '…' : leftOutLine(size, first.element)
}

function isFew({ lines, interactive, isWhole }: Size): boolean {
  return isWhole && interactive === 0 && lines <= FEW_LINES
}

function withChildren(
  entry: Entry,
  line: string,
  { shown, depth }: { readonly shown: Shown; readonly depth: number },
): string {
  const children = entry.children()
  if (children.length === 0) return `${line}\n`
  if (!children.some((child) => shown.lines.has(child))) {
    const ref = line.includes('[ref=') ? '' : ` [ref=${refOf(entry.element)}]`
    const size = sizeOfAll(children)
    return `${line}${ref}: ${shown.isTight && isFew(size) ? '…' : leftOutInside(size)}\n`
  }
  const colon = /: [^[\]"]*$/.test(line) ? '' : ':'
  return `${line}${colon}\n${render(children, shown, depth + 1)}`
}
