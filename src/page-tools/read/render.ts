import { refOf } from '../refs.ts'
import { follows, type Entry } from './entry.ts'
import { leftOutInside, leftOutLine, sizeOfAll, type Size } from './left-out.ts'

/** The lines that are shown of an outline, by their entries. */
export interface Shown {
  readonly lines: ReadonlyMap<Entry, string>
  /** Whether few texts between what is shown are left out with a sign only: for marks there is no room. */
  readonly isTight: boolean
  /** What comes before it has no marks, either. */
  readonly from: Element | null
}

/** More of them get a mark that counts them. */
const FEW_LINES = 3

/** The text of an outline, with a mark for all that is left out. */
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
    // A sign stands for what is between two lines, or in one: before the first line is nothing to read it from.
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
