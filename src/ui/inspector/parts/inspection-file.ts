import { Crc32, FILE_VERSION, FORMAT, type Row } from '../../../conversation/index.ts'
import type { Inspection } from '../../shared/report-file.ts'
import { Journal } from '../recording.ts'

export interface OpenedFile {
  readonly name: string
  readonly inspection: Inspection | null
  readonly version: number
  readonly format: number
  /** The conversation, and the child conversations of its calls. */
  readonly journals: readonly Journal[]
}

type Fields = Readonly<Record<string, unknown>>

/** Reads a file of exported conversations, for viewing. Throws an `Error` for any other file. */
export function readFile(name: string, text: string): OpenedFile {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const header = parseLine(lines[0] ?? '')
  if (!isShowable(header)) throw new Error("The file is damaged: its first line can't be shown.")
  const { offstage, version, format, inspector } = header ?? {}
  if (
    offstage !== 'offstage-conversations' ||
    typeof version !== 'number' ||
    typeof format !== 'number'
  )
    throw new Error('This is no exported file.')
  if (version > FILE_VERSION || format > FORMAT)
    throw new Error('A newer version of Offstage has written this file.')
  const journals: Journal[] = []
  const [order, sum] = [new LineOrder(), new CheckSum()]
  const faults: (string | null)[] = []
  for (const line of lines.slice(1)) {
    const fields = parseLine(line)
    addLine(journals, fields)
    const found = [sum.check(line, fields), order.check(fields)]
    for (const fault of found) if (fault !== null) journals.at(-1)?.markBroken(fault)
    faults.push(...found)
  }
  if (journals.length === 0) throw new Error('There is no conversation in this file.')
  const fault = [...faults, order.end()].find((each) => each !== null)
  if (fault) for (const journal of journals) journal.markBroken(fault)
  return { name, inspection: inspectionOf(inspector), version, format, journals }
}

function addLine(journals: Journal[], fields: Fields | null): void {
  const journal = journals.at(-1)
  if (fields === null) return journal?.markBroken('The file is damaged.')
  const { conversation, row, end } = fields
  if (!isShowable(fields)) return breakFile(journals)
  if (isFields(conversation)) journals.push(new Journal(idOf(conversation)))
  else if (journal && isFields(row)) addRow(journal, row)
  else if (journal && isFields(end) && end['rows'] !== journal.rows.length)
    journal.markBroken('The file has fewer rows than it says.')
}

function addRow(journal: Journal, row: Fields): void {
  if (isRow(row))
    journal.add({ ...row, conversationId: journal.conversationId, appendId: '' } as Row)
  else journal.markBroken(`Row ${journal.rows.length + 1} can't be read.`)
}

function breakFile(journals: readonly Journal[]): void {
  const journal = journals.at(-1)
  if (!journal) throw new Error("The file is damaged: its conversation can't be shown.")
  journal.markBroken(`The rows after row ${journal.rows.length} can't be shown.`)
}

function idOf({ conversationId }: Fields): string {
  if (typeof conversationId === 'string') return conversationId
  throw new Error('The file is damaged: a conversation in it has no id.')
}

function inspectionOf(value: unknown): Inspection | null {
  if (!isFields(value)) return null
  const { runId, exportedAt, browser, firstTokens } = value
  if (typeof exportedAt !== 'string' || typeof browser !== 'string')
    throw new Error(
      "The file is damaged: its first line doesn't say when and where it was exported.",
    )
  return {
    runId: typeof runId === 'string' ? runId : null,
    exportedAt,
    browser,
    firstTokens: Array.isArray(firstTokens) ? firstTokens.filter(isFirstToken) : [],
  }
}

function isFirstToken(value: unknown): value is [string, number] {
  return Array.isArray(value) && typeof value[0] === 'string' && Number.isFinite(value[1])
}

function isRow(value: unknown): value is Omit<Row, 'conversationId' | 'appendId'> {
  return (
    isFields(value) &&
    typeof value['type'] === 'string' &&
    typeof value['seq'] === 'number' &&
    isTime(value['at'])
  )
}

/** Maximum time value of a `Date`, in milliseconds. */
const FARTHEST = 8.64e15

function isTime(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= FARTHEST
}

function parseLine(line: string): Fields | null {
  try {
    const value: unknown = JSON.parse(line)
    return isFields(value) ? value : null
  } catch {
    return null
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Verifies the checksum of each conversation in a file, line by line. Detects damage, but not forgery: anyone can
 * compute a checksum.
 */
class CheckSum {
  #crc = new Crc32()

  /** Returns the problem with the conversation that ends with this line; null if there is none, or it continues. */
  check(line: string, fields: Readonly<Record<string, unknown>> | null): string | null {
    if (fields?.['conversation'] !== undefined) this.#crc = new Crc32()
    const { end } = fields ?? {}
    if (typeof end !== 'object' || end === null) {
      // Normalizes line endings, which editors may change: the checksum was made with `\n`.
      this.#crc.add(new TextEncoder().encode(`${line.replace(/\r$/, '')}\n`))
      return null
    }
    return 'crc32' in end && end.crc32 === this.#crc.digits
      ? null
      : 'The file is damaged, or was changed: its checksum does not match.'
  }
}

/** Maximum nesting: deeper than tools accept, but safe for recursion in browsers. */
const DEEPEST = 500

/** Row fields with arbitrary content, which is shown only as data. */
const FREE: ReadonlySet<string> = new Set(['input', 'output', 'value', 'values', 'data', 'details'])

interface NestedValue {
  readonly value: unknown
  readonly depth: number
  readonly isFree: boolean
}

/** Whether data from a file can be shown: it isn't nested too deep, and each record can become a string. */
function isShowable(value: unknown): boolean {
  const open: NestedValue[] = [{ value, depth: 0, isFree: false }]
  for (let nested = open.pop(); nested; nested = open.pop()) {
    const { depth, isFree } = nested
    if (typeof nested.value !== 'object' || nested.value === null) continue
    if (depth >= DEEPEST || (!isFree && cannotBeText(nested.value))) return false
    for (const [name, inner] of Object.entries(nested.value))
      open.push({ value: inner, depth: depth + 1, isFree: isFree || FREE.has(name) })
  }
  return true
}

/** Whether `String(value)` throws. */
function cannotBeText(value: object): boolean {
  return Object.hasOwn(value, 'toString') || Object.hasOwn(value, 'valueOf')
}

/** Checks that lines have the order in which an export writes them (docs/format.md). Finds omissions and insertions. */
class LineOrder {
  #conversations = 0
  #isOpen = false
  #hasEnded = false

  /** Returns the problem with a line after the first; null if there is none. */
  check(fields: Fields | null): string | null {
    if (fields === null) return null
    if (this.#hasEnded) return 'The file is damaged, or was changed: it has lines after its end.'
    if ('conversation' in fields) {
      const wasOpen = this.#isOpen
      this.#isOpen = true
      this.#conversations += 1
      return wasOpen ? NO_END : null
    }
    if ('row' in fields) return this.#isOpen ? null : STRAY
    if ('end' in fields) {
      const wasOpen = this.#isOpen
      this.#isOpen = false
      return wasOpen ? null : STRAY
    }
    if ('conversations' in fields) {
      this.#hasEnded = true
      if (this.#isOpen) return NO_END
      return fields['conversations'] === this.#conversations
        ? null
        : 'The file is damaged, or was changed: its number of conversations is wrong.'
    }
    return 'The file is damaged, or was changed: it has an unknown kind of line.'
  }

  /** Returns what is missing after the last line; null if nothing is. */
  end(): string | null {
    return this.#hasEnded ? null : 'The file is cut off.'
  }
}

const NO_END = 'The file is damaged, or was changed: the end of a conversation is missing.'
const STRAY = 'The file is damaged, or was changed: some rows belong to no conversation.'
