import type { ConversationRecord } from '../../protocol/conversation.ts'
import { OffstageError, type ErrorCode, type ErrorData } from '../../protocol/error.ts'
import type { RowsFound } from '../../protocol/commands.ts'
import { FORMAT, type Row } from '../../protocol/fact.ts'
import { FILE_VERSION } from '../../protocol/file-version.ts'
import { isImportMark } from '../../protocol/import-mark.ts'
import { Crc32 } from '../../lib/crc32.ts'
import { FILE_NAME, type Beginning, type FileLine } from './lines.ts'

/** Reads at most `count` rows of a conversation after the seq `after`. Null if there is no such conversation. */
export type ReadRows = (
  conversationId: string,
  after: number,
  count: number,
) => Promise<RowsFound | null>

/** Size of the chunks that the stream yields. Bytes. */
const PIECE = 256 * 1024
/** Size that rows read together should have, by which their number is chosen. Bytes. */
const READ = 512 * 1024
/** Most rows read together, as the next ones may be as large as rows can be. */
const MOST_ROWS = 64

/** Conversations to export, and how far. */
export interface Exported {
  readonly roots: readonly ConversationRecord[]
  /** Rows of a conversation after this `seq` are left out. */
  readonly lastOf: (conversationId: string) => number
}

/**
 * Yields the file in chunks. Rows written during the export may be missing, but each conversation is complete up to its
 * last row.
 */
export async function* filePieces(
  read: ReadRows,
  exported: Exported,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let piece = new Uint8Array(PIECE)
  let used = 0
  for await (const line of fileLines(read, exported)) {
    for (let at = 0; at < line.length;) {
      const taken = Math.min(PIECE - used, line.length - at)
      piece.set(line.subarray(at, at + taken), used)
      at += taken
      used += taken
      if (used < PIECE) continue
      yield piece
      piece = new Uint8Array(PIECE)
      used = 0
    }
  }
  if (used > 0) yield piece.slice(0, used)
}

/** Yields top-level conversations first, and each conversation before the child conversations of its calls. */
async function* fileLines(read: ReadRows, { roots, lastOf }: Exported): AsyncGenerator<Uint8Array> {
  yield encoded({ offstage: FILE_NAME, version: FILE_VERSION, format: FORMAT })
  const given = new Set(roots.map(({ conversationId }) => conversationId))
  const isChild = ({ parent }: ConversationRecord): boolean =>
    parent !== undefined && given.has(parent.conversationId)
  const sorted = roots.toSorted(
    (a, b) =>
      Number(isChild(a)) - Number(isChild(b)) ||
      a.createdAt - b.createdAt ||
      (a.conversationId < b.conversationId ? -1 : 1),
  )
  // The last element is the next one.
  const waiting = sorted.map(({ conversationId }) => conversationId).toReversed()
  const done = new Set<string>()
  let conversations = 0
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (done.has(id)) continue
    done.add(id)
    const children: string[] = []
    let lines = 0
    for await (const line of conversationLines(read, { id, through: lastOf(id) }, children)) {
      lines += 1
      yield line
    }
    if (lines > 0) conversations += 1
    waiting.push(...children.toReversed())
  }
  yield encoded({ conversations })
}

/** Yields nothing if there is no such conversation. Adds the ids of its child conversations to `children`. */
async function* conversationLines(
  read: ReadRows,
  { id, through }: { readonly id: string; readonly through: number },
  children: string[],
): AsyncGenerator<Uint8Array> {
  let count = 8
  let found = await read(id, 0, count)
  if (found === null) return
  const { record } = found
  const { conversationId, createdAt, updatedAt, parent, broken } = record
  const crc = new Crc32()
  const beginning: Beginning = { conversationId, createdAt, updatedAt, ...(parent && { parent }) }
  const head = encoded({ conversation: beginning })
  crc.add(head)
  yield head
  let fault: ErrorData | null = null
  let rows = 0
  // Later rows are not exported. The record of a broken conversation may not know its last row.
  let last = Math.min(through, broken === undefined ? record.lastSeq : Infinity)
  if (record.format > FORMAT) fault = faultOf('storage-newer', 'A newer Offstage has written it.')
  while (fault === null && rows < last) {
    if (found === null || !isSame(found.record, record)) {
      fault = faultOf('conversation-not-found', 'It was deleted while it was exported.')
      break
    }
    let size = 0
    for (const row of found.rows) {
      if (row.seq > last) break
      // The next import adds its own mark. Without this one, a round trip gives the same file.
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
      if (row.type === 'child-started') children.push(row.childConversationId)
      yield line
    }
    if (fault !== null) break
    const missing = found.rows.length === 0 ? `Row ${rows + 1} is missing.` : null
    const why = found.fault ?? (missing && (broken ?? missing))
    if (rows < last && why !== null) fault = faultOf('conversation-broken', why)
    else if (rows < last) {
      const fitting = Math.floor((found.rows.length * READ) / Math.max(1, size))
      count = Math.max(1, Math.min(count * 2, fitting, MOST_ROWS))
      found = await read(id, rows, count)
    }
  }
  yield encoded({ end: { rows, crc32: crc.digits, ...(fault && { fault }) } })
}

/** Encodes a row without ids of its store. Null if it is nested too deep, or too long for a text. */
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
