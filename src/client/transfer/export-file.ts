import type { ConversationRecord } from '../../protocol/conversation.ts'
import { type ErrorCode, type ErrorData, OffstageError } from '../../protocol/error.ts'
import type { RowsFound } from '../../protocol/worker-calls.ts'
import { FILE_VERSION, FORMAT, isImportMark, type Row } from '../../protocol/fact.ts'
import { Crc32 } from '../../lib/crc32.ts'

/** Name in the file's first line. */
export const FORMAT_NAME = 'offstage-conversations'

/** First line of a conversation. */
export type ConversationHeader = Pick<
  ConversationRecord,
  'conversationId' | 'createdAt' | 'updatedAt'
> & { readonly parent?: ConversationRecord['parent'] | undefined }

/** Last line of a conversation. */
export interface ConversationFooter {
  readonly rows: number
  /** Checksum of the conversation's lines before this one, each with its line feed. */
  readonly crc32: string
  /** Why the conversation is incomplete. */
  readonly fault?: ErrorData | undefined
}

/** A line of the file, in JSON. docs/format.md explains each. */
type FileLine =
  | { readonly offstage: typeof FORMAT_NAME; readonly version: number; readonly format: number }
  | { readonly conversation: ConversationHeader }
  | { readonly row: object }
  | { readonly end: ConversationFooter }
  | { readonly conversations: number }

/** Longer lines count as damaged. Bytes. */
const LONGEST_LINE = 67_108_864

const LINE_FEED = 10
const RETURN = 13

/**
 * Splits bytes into lines, without their line ends. Yields null for a line longer than `longest`. Skips empty lines,
 * and buffers at most one line.
 */
export async function* linesOf(
  source: AsyncIterable<Uint8Array>,
  longest: number = LONGEST_LINE,
): AsyncGenerator<Uint8Array | null> {
  let parts: Uint8Array[] = []
  let length = 0
  const takeLine = (): Uint8Array | null => {
    const line = length > longest ? null : concatenate(parts, length)
    parts = []
    length = 0
    return line && line.at(-1) === RETURN ? line.subarray(0, -1) : line
  }
  for await (const bytes of source) {
    for (let from = 0; from < bytes.length;) {
      const found = bytes.indexOf(LINE_FEED, from)
      const to = found < 0 ? bytes.length : found
      length += to - from
      if (length > longest) parts = []
      // Copies the bytes, because the source may reuse its buffer.
      else parts.push(bytes.slice(from, to))
      from = to + 1
      if (found < 0) continue
      const line = takeLine()
      if (line?.length !== 0) yield line
    }
  }
  const last = takeLine()
  if (last?.length !== 0) yield last
}

function concatenate(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = parts
  if (first && parts.length === 1) return first
  const all = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    all.set(part, offset)
    offset += part.length
  }
  return all
}

/** A file made by `export`, in any of these forms. */
export type ConversationFile =
  | Blob
  | ReadableStream<Uint8Array<ArrayBuffer>>
  | AsyncIterable<Uint8Array>
  | string

/** Result of `conversations.import`: the added and the refused conversations. */
export interface ImportReport {
  readonly imported: readonly {
    /** Id in the file. `to`: id in this store, which differs if the id was taken. */
    readonly from: string
    readonly to: string
    /** Set if the conversation was already damaged when it was exported. The import ends before the damage. */
    readonly broken?: string
  }[]
  /**
   * `conversationId` is null for damage outside a conversation: the file is cut off, or damaged between conversations.
   */
  readonly refused: readonly {
    readonly conversationId: string | null
    readonly error: ErrorData
  }[]
}

/** Reads at most `count` rows of a conversation after the seq `after`. Null if there is no such conversation. */
export type ReadRows = (
  conversationId: string,
  after: number,
  count: number,
) => Promise<RowsFound | null>

/** Size of the chunks that the stream yields. Bytes. */
const PIECE_BYTES = 256 * 1024
/** Target size of one read. The number of rows to read is chosen by it. Bytes. */
const READ_BYTES = 512 * 1024
/** Maximum rows of one read, because the next rows may be of the maximum size. */
const MOST_ROWS = 64

/** Conversations to export, and the last row of each. */
export interface ExportScope {
  /** All conversations of the store. The file contains only `roots` and their child conversations. */
  readonly records: readonly ConversationRecord[]
  readonly roots: readonly ConversationRecord[]
  /** Rows of a conversation after this `seq` are left out. */
  readonly lastSeq: (conversationId: string) => number
}

/**
 * Yields the file in chunks. Rows written during the export may be missing, but each conversation is complete up to its
 * last row.
 */
export async function* filePieces(
  read: ReadRows,
  exported: ExportScope,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let piece = new Uint8Array(PIECE_BYTES)
  let used = 0
  for await (const line of fileLines(read, exported)) {
    for (let offset = 0; offset < line.length;) {
      const length = Math.min(PIECE_BYTES - used, line.length - offset)
      piece.set(line.subarray(offset, offset + length), used)
      offset += length
      used += length
      if (used < PIECE_BYTES) continue
      yield piece
      piece = new Uint8Array(PIECE_BYTES)
      used = 0
    }
  }
  if (used > 0) yield piece.slice(0, used)
}

/**
 * Yields each conversation before the child conversations of its exported calls. Child conversations of other calls
 * come last.
 */
async function* fileLines(
  read: ReadRows,
  { records, roots, lastSeq }: ExportScope,
): AsyncGenerator<Uint8Array> {
  yield encoded({ offstage: FORMAT_NAME, version: FILE_VERSION, format: FORMAT })
  const exportedIds = new Set(records.map(({ conversationId }) => conversationId))
  const isChild = ({ parent }: ConversationRecord): boolean =>
    parent !== undefined && exportedIds.has(parent.conversationId)
  // Reverse order, because `pop()` takes the last element.
  const last = records.toSorted(
    (a, b) =>
      Number(isChild(b)) - Number(isChild(a)) ||
      b.createdAt - a.createdAt ||
      (a.conversationId < b.conversationId ? 1 : -1),
  )
  const waiting = last.filter((record) => roots.includes(record))
  const done = new Set<string>()
  let conversations = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { conversationId: id } = next
    if (done.has(id)) continue
    done.add(id)
    const calls = new Set<string>()
    let lines = 0
    for await (const line of conversationLines(read, { id, through: lastSeq(id) }, calls)) {
      lines += 1
      yield line
    }
    if (lines > 0) conversations += 1
    // Finds children by their own records: a row could name any conversation as a child.
    waiting.push(
      ...last.filter(({ parent }) => parent?.conversationId === id && calls.has(parent.toolCallId)),
    )
  }
  yield encoded({ conversations })
}

/** Yields nothing if the conversation doesn't exist. Adds its call ids to `calls`. */
async function* conversationLines(
  read: ReadRows,
  { id, through }: { readonly id: string; readonly through: number },
  calls: Set<string>,
): AsyncGenerator<Uint8Array> {
  let count = 8
  let found = await read(id, 0, count)
  if (found === null) return
  const { record } = found
  const { conversationId, createdAt, updatedAt, parent, broken } = record
  const crc = new Crc32()
  const head = encoded({ conversation: { conversationId, createdAt, updatedAt, parent } })
  crc.add(head)
  yield head
  let fault: ErrorData | undefined
  let rows = 0
  // Leaves out rows written during the export. A broken conversation's `lastSeq` may be wrong, so it is read as far as
  // possible.
  let last = Math.min(through, broken === undefined ? record.lastSeq : Infinity)
  if (record.format > FORMAT) fault = faultOf('storage-newer', 'A newer Offstage has written it.')
  while (!fault && rows < last) {
    if (found === null || !isSame(found.record, record)) {
      fault = faultOf('conversation-not-found', 'It was deleted while it was exported.')
      break
    }
    let size = 0
    for (const row of found.rows) {
      if (row.seq > last) break
      // Leaves out the mark of an import. Every import adds one, so a round trip gives the same file.
      if (row.seq === last && isImportMark(row)) {
        last -= 1
        break
      }
      const line = lineOf(row)
      if (line === null) {
        fault = faultOf('conversation-broken', `Row ${row.seq} can't be written.`)
        break
      }
      crc.add(line)
      rows = row.seq
      size += line.length
      if ('path' in row) for (const call of row.path ?? []) calls.add(call)
      yield line
    }
    if (fault || rows >= last) break
    const missing = found.rows.length === 0 ? `Row ${rows + 1} is missing.` : null
    const reason = found.fault ?? (missing && (broken ?? missing))
    if (reason === null) {
      const fitting = Math.floor((found.rows.length * READ_BYTES) / Math.max(1, size))
      count = Math.max(1, Math.min(count * 2, fitting, MOST_ROWS))
      found = await read(id, rows, count)
    } else fault = faultOf('conversation-broken', reason)
  }
  yield encoded({ end: { rows, crc32: crc.digits, fault } })
}

/** Encodes a row without the store's ids. Null if the row is nested too deep, or too long for a string. */
function lineOf({ conversationId: _id, appendId: _appendId, ...row }: Row): Uint8Array | null {
  try {
    return encoded({ row })
  } catch {
    return null
  }
}

function isSame(a: ConversationRecord, b: ConversationRecord): boolean {
  return a.createdAt === b.createdAt && a.importId === b.importId
}

function faultOf(code: ErrorCode, message: string): ErrorData {
  return new OffstageError(code, message).toData()
}

function encoded(line: FileLine): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(line)}\n`)
}
