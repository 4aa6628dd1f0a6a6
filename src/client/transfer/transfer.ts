import { type AgentScope, INCOMPLETE_IMPORT } from '../../protocol/conversation.ts'
import {
  describeThrown,
  type ErrorData,
  isErrorData,
  OffstageError,
  toErrorData,
} from '../../protocol/error.ts'
import type { AgentParts } from '../api/agent-parts.ts'
import { badInput } from '../api/failures.ts'
import {
  type ConversationHeader,
  type ConversationFile,
  type ConversationFooter,
  FORMAT_NAME,
  filePieces,
  type ImportReport,
  linesOf,
} from './export-file.ts'
import type { ImportRows } from '../../protocol/worker-calls.ts'
import { FILE_VERSION, FORMAT } from '../../protocol/fact.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { randomId } from '../../lib/random-id.ts'
import { isRecord } from '../../lib/is-record.ts'
import { isDeeper } from '../tools/prepare-tool.ts'
import { Crc32 } from '../../lib/crc32.ts'

/** Maps the file's conversation ids to ids in the store: the same ids, or new ones if these are taken. */
class ImportedIds {
  readonly #existing: ReadonlySet<string>
  readonly #ids = new Map<string, string>()
  readonly #started = new Set<string>()
  /** Ids that can't change any more, because imported rows refer to them. */
  readonly #referenced = new Set<string>()
  readonly #finished = new Map<string, string>()

  constructor(existingIds: ReadonlySet<string>) {
    this.#existing = existingIds
  }

  /**
   * Returns the store's id for a conversation that a row refers to, even if the file lacks that conversation. Never
   * returns an id that existed before the import.
   */
  idFor(from: string): string {
    this.#referenced.add(from)
    return this.#idOf(from)
  }

  start(from: string): string {
    if (this.#started.has(from)) {
      // The file has this id twice: the second conversation gets a new id, to which no rows refer.
      this.#referenced.delete(from)
      return randomId()
    }
    this.#started.add(from)
    return this.#idOf(from)
  }

  /**
   * Returns a new id, because the chosen one was taken meanwhile. Throws `conversation-busy` if imported rows refer to
   * the chosen id.
   */
  replaceId(from: string): string {
    if (!this.#referenced.has(from)) return randomId()
    throw new OffstageError('conversation-busy', 'Another conversation has its id.')
  }

  finish(from: string, to: string): void {
    this.#finished.set(from, to)
  }

  /** Returns the parent if it was imported from the same file. */
  parentOf({ parent }: ConversationHeader): ConversationHeader['parent'] {
    if (!parent) return undefined
    const conversationId = this.#finished.get(parent.conversationId)
    return conversationId === undefined ? undefined : { ...parent, conversationId }
  }

  #idOf(from: string): string {
    const cached = this.#ids.get(from)
    if (cached !== undefined) return cached
    const to = this.#existing.has(from) ? randomId() : from
    this.#ids.set(from, to)
    return to
  }
}

type ImportPart = Omit<ImportRows, keyof AgentScope>

/** Target that conversations are written to. */
interface ImportTarget {
  /** Resolves to false if a conversation with that id exists. */
  write(part: ImportPart): Promise<boolean>
  /** Deletes the rows of an incomplete conversation. */
  drop(part: Pick<ImportPart, 'conversationId' | 'importId'>): Promise<void>
}

/** Limits for rows that are written together: size in bytes, and number. A row above the size is written alone. */
const PART_BYTES = 1024 * 1024
const MOST_ROWS = 500

function isHeader(value: unknown): value is ConversationHeader {
  if (!hasTexts(value, ['conversationId'])) return false
  const { conversationId: id, createdAt, updatedAt, parent } = value
  const isParent = hasTexts(parent, ['conversationId', 'runId', 'toolCallId'])
  // A time beyond the range of `Date` can't be shown.
  const areTimes = [createdAt, updatedAt].every(
    (time) => typeof time === 'number' && Math.abs(time) <= 8.64e15,
  )
  return id !== '' && id.length <= 1000 && areTimes && (parent === undefined || isParent)
}

function isFooter(value: unknown): value is ConversationFooter {
  if (!hasTexts(value, ['crc32'])) return false
  const { rows, fault } = value
  return typeof rows === 'number' && (fault === undefined || isErrorData(fault))
}

function hasTexts<Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is { readonly [field: string]: unknown } & { readonly [Text in Name]: string } {
  return isRecord(value) && names.every((name) => typeof value[name] === 'string')
}

/** The conversation that is being read. */
interface Reading {
  readonly header: ConversationHeader
  readonly importId: string
  readonly crc: Crc32
  to: string
  /** Number of rows that were read. `written`: number of rows that were written. */
  count: number
  written: number
  rows: unknown[]
  size: number
  /** Reason why the conversation is refused. Its remaining lines are skipped. */
  error: ErrorData | null
}

/** Reads an exported file line by line, and writes each conversation whole or not at all. */
export class FileImport {
  readonly #target: ImportTarget
  readonly #ids: ImportedIds
  readonly #imported: ImportReport['imported'][number][] = []
  readonly #refused: ImportReport['refused'][number][] = []
  #reading: Reading | null = null
  #lineNumber = 0
  #conversationCount = 0
  #hasReportedStray = false
  /** Number of conversations according to the file's last line. */
  #total: number | null = null

  /** `existingIds`: ids that are already taken. */
  constructor(existingIds: ReadonlySet<string>, target: ImportTarget) {
    this.#target = target
    this.#ids = new ImportedIds(existingIds)
  }

  get report(): ImportReport {
    return { imported: this.#imported, refused: this.#refused }
  }

  async read(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const line of linesOf(pieces)) {
      this.#lineNumber += 1
      const fields = line && parseLine(line)
      if (this.#lineNumber === 1) checkHeader(fields)
      else await this.#readLine(fields, line)
    }
    if (this.#lineNumber === 0) checkHeader(null)
    await this.#endIncomplete()
    if (this.#total !== this.#conversationCount)
      this.#refuse(
        null,
        badInput(
          this.#total === null
            ? 'The file is cut off.'
            : `The file lists ${this.#total} conversations and holds ${this.#conversationCount}.`,
        ).toData(),
      )
  }

  /** Deletes the rows already written for the conversation that was being read. */
  async giveUp(): Promise<void> {
    const reading = this.#reading
    this.#reading = null
    if (reading) await this.#drop(reading)
  }

  async #readLine(fields: Fields | null, line: Uint8Array | null): Promise<void> {
    const reading = this.#reading
    const { conversation, conversations, end, row } = fields ?? {}
    if (isHeader(conversation)) {
      await this.#endIncomplete()
      this.#startConversation(conversation, line)
    } else if (typeof conversations === 'number' && reading === null) {
      this.#total = conversations
    } else if (reading === null) {
      if (!this.#hasReportedStray) this.#refuse(null, this.#damage('belongs to no conversation'))
      this.#hasReportedStray = true
    } else if (isFooter(end)) {
      await this.#endConversation(reading, end)
    } else if (reading.error === null) {
      if (line && isRecord(row)) await this.#addRow(reading, row, line)
      else await this.#fail(reading, this.#damage("can't be read"))
    }
  }

  #startConversation(header: ConversationHeader, line: Uint8Array | null): void {
    this.#conversationCount += 1
    this.#hasReportedStray = false
    const crc = new Crc32()
    if (line) addLine(crc, line)
    const to = this.#ids.start(header.conversationId)
    this.#reading = {
      header,
      importId: randomId(),
      crc,
      to,
      count: 0,
      written: 0,
      rows: [],
      size: 0,
      error: null,
    }
  }

  async #addRow(reading: Reading, row: Fields, line: Uint8Array): Promise<void> {
    addLine(reading.crc, line)
    const isFull = reading.size + line.length > PART_BYTES || reading.rows.length >= MOST_ROWS
    if (isFull && reading.rows.length > 0) await this.#write(reading, false)
    reading.count += 1
    reading.size += line.length
    const child = row['type'] === 'child-started' ? row['childConversationId'] : undefined
    reading.rows.push(
      typeof child === 'string' ? { ...row, childConversationId: this.#ids.idFor(child) } : row,
    )
  }

  async #endConversation(
    reading: Reading,
    { rows, crc32, fault }: ConversationFooter,
  ): Promise<void> {
    if (reading.error === null) {
      if (rows !== reading.count || crc32 !== reading.crc.digits)
        await this.#fail(reading, this.#damage('says that others were before it'))
      else if (fault && fault.code !== 'conversation-broken') await this.#fail(reading, fault)
      else await this.#write(reading, true)
    }
    this.#reading = null
    const { header, to, error } = reading
    const { conversationId: from } = header
    if (error) return this.#refuse(from, error)
    this.#ids.finish(from, to)
    this.#imported.push({ from, to, ...(fault && { broken: fault.message }) })
  }

  /** Refuses the conversation that is being read, if any: its end is missing. */
  async #endIncomplete(): Promise<void> {
    const reading = this.#reading
    if (!reading) return
    this.#reading = null
    if (reading.error === null) await this.#fail(reading, this.#damage('comes before its end'))
    if (reading.error) this.#refuse(reading.header.conversationId, reading.error)
  }

  async #write(reading: Reading, isLast: boolean): Promise<void> {
    const { header, importId, written: after, rows } = reading
    const { conversationId: from, createdAt, updatedAt } = header
    const parent = this.#ids.parentOf(header)
    const part = { importId, createdAt, updatedAt, after, rows, isLast, ...(parent && { parent }) }
    try {
      while (!(await this.#target.write({ ...part, conversationId: reading.to })))
        reading.to = this.#ids.replaceId(from)
      reading.written += rows.length
      reading.rows = []
      reading.size = 0
    } catch (thrown) {
      const error = toErrorData(thrown)
      if (!isOfConversation(error)) throw thrown
      await this.#fail(reading, error)
    }
  }

  async #fail(reading: Reading, error: ErrorData): Promise<void> {
    reading.error = error
    reading.rows = []
    await this.#drop(reading)
  }

  /** Deletes the written rows. If deleting fails, the conversation stays in the store as broken. */
  async #drop({ written, to, importId }: Reading): Promise<void> {
    if (written > 0)
      await this.#target.drop({ conversationId: to, importId }).catch(() => undefined)
  }

  #refuse(conversationId: string | null, error: ErrorData): void {
    this.#refused.push({ conversationId, error })
  }

  #damage(problem: string): ErrorData {
    const message = `The file is damaged: line ${this.#lineNumber} ${problem}.`
    return new OffstageError('conversation-broken', message, {
      details: { line: this.#lineNumber },
    }).toData()
  }
}

type Fields = Readonly<Record<string, unknown>>

function parseLine(line: Uint8Array): Fields | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(line)
    // Refuses deep nesting here: a worker never answers a message that is nested too deep for its stack.
    const fields: unknown = isDeeper(text, 200) || JSON.parse(text)
    return isRecord(fields) ? fields : null
  } catch {
    return null
  }
}

function checkHeader(fields: Fields | null): void {
  const { offstage, version, format } = fields ?? {}
  if (offstage !== FORMAT_NAME || typeof version !== 'number' || typeof format !== 'number')
    throw badInput('This is no exported file.')
  if (version <= FILE_VERSION && format <= FORMAT) return
  throw new OffstageError(
    'storage-newer',
    `The file was written by a newer Offstage (version ${version}, format ${format}): update the package.`,
  )
}

const LINE_FEED = Uint8Array.of(10)

function addLine(crc: Crc32, line: Uint8Array): void {
  crc.add(line)
  crc.add(LINE_FEED)
}

/** True for an error of one conversation: the others may still be imported. */
function isOfConversation({ code }: ErrorData): boolean {
  return /^(storage|conversation|ownership|internal|invalid-input)/.test(code)
}

/** Larger chunks of a file are split into pieces of this size. Bytes. */
const PIECE_BYTES = 256 * 1024

export async function exportFile(
  { callWorker, scope }: AgentParts,
  conversationId?: string,
  through: number = Infinity,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const records = await callWorker('listConversations', { ...scope(), children: true })
  const roots = records.filter(({ conversationId: id }) => [undefined, id].includes(conversationId))
  if (conversationId !== undefined && roots.length === 0)
    throw new OffstageError('conversation-not-found', `There is no ${conversationId}.`)
  const pieces = filePieces(
    (id, after, count) =>
      callWorker('exportRows', { ...scope(), conversationId: id, after, count }),
    { records, roots, lastSeq: (id) => (id === conversationId ? through : Infinity) },
  )
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { value, done } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await pieces.return(undefined)),
    },
    // Reads nothing in advance.
    { highWaterMark: 0 },
  )
}

export async function importFile(
  { callWorker, scope }: AgentParts,
  file: ConversationFile,
): Promise<ImportReport> {
  const records = await callWorker('listConversations', { ...scope(), children: true })
  // The id of a conversation whose import wasn't finished isn't taken: it may be imported again.
  const complete = records.filter(({ broken }) => broken !== INCOMPLETE_IMPORT)
  const existingIds = new Set(complete.map(({ conversationId }) => conversationId))
  const reading = new FileImport(existingIds, {
    write: (part) => callWorker('importRows', { ...scope(), ...part }),
    drop: (part) => callWorker('dropImport', { ...scope(), ...part }),
  })
  try {
    await reading.read(piecesOf(file))
    return reading.report
  } catch (thrown) {
    await reading.giveUp()
    const error = OffstageError.is(thrown)
      ? thrown
      : badInput(`The file can't be read: ${describeThrown(thrown)}`)
    throw OffstageError.fromData({
      ...error.toData(),
      details: { ...error.details, ...(reading.report as unknown as JsonObject) },
    })
  }
}

async function* piecesOf(file: ConversationFile): AsyncGenerator<Uint8Array> {
  for await (const bytes of chunksOf(file)) {
    if (!isBytes(bytes)) throw badInput('The pieces of a file must be Uint8Arrays.')
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      yield bytes.subarray(at, at + PIECE_BYTES)
  }
}

async function* chunksOf(file: ConversationFile): AsyncGenerator<unknown> {
  const stream = streamOf(file)
  if (stream === null) {
    if (!(Symbol.asyncIterator in Object(file)))
      throw badInput('A file must be a text, a Blob, a stream or an async iterable of Uint8Arrays.')
    yield* file as AsyncIterable<unknown>
    return
  }
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    // Cancels the source if reading ends early.
    await reader.cancel().catch(() => undefined)
    reader.releaseLock()
  }
}

/**
 * Detects kinds of files by their methods, because `instanceof` fails for objects of another window. Doesn't use async
 * iteration of streams, which some browsers lack.
 */
function streamOf(file: ConversationFile | null): ReadableStream<unknown> | null {
  if (typeof file === 'string') return new Blob([file]).stream()
  if (typeof file !== 'object' || file === null) return null
  if ('getReader' in file) return file
  return 'stream' in file ? file.stream() : null
}

function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]'
}
