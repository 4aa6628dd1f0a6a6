import { Unreadable } from './diagnostic.ts'
import { indentOf, isBlank, type Lines } from './lines.ts'

const HEADER = /^([|>])(?:([+-]?)([1-9]?)|([1-9])([+-]))(?:[ \t]+#.*)?$/

/** Reads a block of text after `|` or `>` (YAML 1.2.2, 8.1). Its lines are indented by more than `indent`. */
export function readBlock(header: string, lines: Lines, indent: number): string {
  const found = HEADER.exec(header)
  if (!found) throw new Unreadable(`${header} begins no block of text`)
  const [, style, sign = '', digit = '', digitFirst = '', signLast = ''] = found
  const taken: string[] = []
  while (lines.isWithin(indent)) taken.push(lines.take())
  const given = Number(digit || digitFirst)
  const texts = unindented(taken, given > 0 ? indent + given : undefined)
  const end = texts.findLastIndex((text) => text !== '') + 1
  const content = style === '|' ? texts.slice(0, end).join('\n') : folded(texts.slice(0, end))
  return content + ending(sign || signLast, { isEmpty: end === 0, blank: texts.length - end })
}

function unindented(lines: readonly string[], given: number | undefined): string[] {
  if (lines.some((line) => isBlank(line) && line.includes('\t')))
    throw new Unreadable('a blank line of the block has tabs in it')
  const first = lines.findIndex((line) => !isBlank(line))
  // Blank lines alone are only line breaks; their spaces don't count.
  if (first < 0) return lines.map(() => '')
  const width = given ?? indentOf(lines[first] ?? '')
  return lines.map((line, at) => {
    const isTooFar = isBlank(line) && line.length > width && (at < first || given !== undefined)
    if (isTooFar || (!isBlank(line) && indentOf(line) < width))
      throw new Unreadable('the lines of the block are not indented alike')
    return line.slice(Math.min(width, line.length))
  })
}

/** Joins lines with spaces. Line breaks stay where lines are empty or indented further. */
function folded(lines: readonly string[]): string {
  let text = ''
  let breaks = 0
  let before: string | undefined
  for (const line of lines) {
    if (line === '') {
      breaks++
      continue
    }
    const keeps = before === undefined ? 0 : isFurther(line) || isFurther(before) ? 1 : -1
    text += keeps < 0 && breaks === 0 ? ' ' : '\n'.repeat(breaks + Math.max(0, keeps))
    text += line
    before = line
    breaks = 0
  }
  return text
}

function isFurther(line: string): boolean {
  return /^[ \t]/.test(line)
}

function ending(
  sign: string,
  { isEmpty, blank }: { readonly isEmpty: boolean; readonly blank: number },
): string {
  if (sign === '-') return ''
  if (sign === '+') return '\n'.repeat(isEmpty ? blank : blank + 1)
  return isEmpty ? '' : '\n'
}
