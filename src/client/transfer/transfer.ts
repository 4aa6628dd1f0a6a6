import { UNFINISHED } from '../../protocol/conversation.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { AgentParts } from '../agent-parts.ts'
import { badInput } from '../failures.ts'
import { filePieces } from './export-file.ts'
import { FileImport } from './import-file.ts'
import type { ConversationFile, ImportReport } from './report.ts'

/** Larger chunks of a file are read in pieces of this size. Bytes. */
const PIECE = 256 * 1024

export async function exportFile(
  { ask, scope }: AgentParts,
  conversationId?: string,
  through: number = Infinity,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const records = await ask('listConversations', { ...scope(), children: true })
  const isMeant = ({ conversationId: id }: { conversationId: string }): boolean =>
    conversationId === undefined || id === conversationId
  const roots = records.filter(isMeant)
  if (conversationId !== undefined && roots.length === 0)
    throw new OffstageError('conversation-not-found', `There is no ${conversationId}.`)
  const pieces = filePieces(
    (id, after, count) => ask('exportRows', { ...scope(), conversationId: id, after, count }),
    { roots, lastOf: (id) => (id === conversationId ? through : Infinity) },
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
    // Reads nothing before it is requested.
    { highWaterMark: 0 },
  )
}

export async function importFile(
  { ask, scope }: AgentParts,
  file: ConversationFile,
): Promise<ImportReport> {
  const records = await ask('listConversations', { ...scope(), children: true })
  // A conversation whose import was left unfinished may be imported again.
  const whole = records.filter(({ broken }) => broken !== UNFINISHED)
  const known = new Set(whole.map(({ conversationId }) => conversationId))
  const reading = new FileImport(known, {
    place: (part) => ask('importRows', { ...scope(), ...part }),
    drop: (part) => ask('dropImport', { ...scope(), ...part }),
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
      details: { ...error.details, ...reading.plainReport },
    })
  }
}

async function* piecesOf(file: ConversationFile): AsyncGenerator<Uint8Array> {
  for await (const bytes of chunksOf(file)) {
    if (!isBytes(bytes)) throw badInput('The pieces of a file must be Uint8Arrays.')
    for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE)
  }
}

async function* chunksOf(file: ConversationFile): AsyncGenerator<unknown> {
  const stream = streamOf(file)
  if (stream === null) {
    if (!(Symbol.asyncIterator in Object(file)))
      throw badInput(
        'A file must be a Blob, a stream or an async iterable of Uint8Arrays, or a text.',
      )
    yield* file as AsyncIterable<unknown>
    return
  }
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    // Tells the source if it isn't read to its end.
    await reader.cancel().catch(() => undefined)
    reader.releaseLock()
  }
}

/**
 * Detects kinds of files by their methods, as objects may come from another window. Not every browser has iterable
 * streams.
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
