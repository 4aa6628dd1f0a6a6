import { makerOf, publicRecord } from '../../worker/store/record.ts'
import type { HttpCalls } from '../wire.ts'
import type { Count } from './bodies.ts'
import type { FoundRows, RowsRange } from './tenant-rows.ts'
import type { Done } from './tenant-store.ts'

/** Most characters of rows read at once: a conversation may exceed this process's memory. */
const MOST_AT_ONCE = 1_000_000
/** The database measures as many rows for each part. */
const MOST_ROWS = 1000

/** Reads rows of the conversation, in their own transaction. */
type ReadRows = (range: RowsRange) => Promise<Done<FoundRows>>

const encoder: TextEncoder = new TextEncoder()

export interface ReadAnswerOptions {
  readonly readRows: ReadRows
  /** Receives the number of bytes that the client has not read yet. */
  readonly count: Count
  /** Most milliseconds that the client may take to read a part. */
  readonly maxMs: number
}

/**
 * A conversation as JSON: a string, or a stream if it is long. The stream reads more rows as the client reads. Rows never
 * change, so all parts together equal the conversation at the start. If it is deleted meanwhile, the stream fails, and the
 * client asks again.
 */
export async function readAnswer(
  { after = 0, limit, newest }: HttpCalls['read']['asks'],
  { readRows, count, maxMs }: ReadAnswerOptions,
): Promise<string | ReadableStream<Uint8Array>> {
  const last = limit === undefined ? Number.MAX_SAFE_INTEGER : after + limit
  const range = { after, last, newest: newest ?? null, most: MOST_AT_ONCE, mostRows: MOST_ROWS }
  const { storeId, change, value } = await readRows(range)
  const record = value.record ? publicRecord(value.record) : null
  const state = `"storeId":${JSON.stringify(storeId)},"change":${change}`
  const begin = `{${state},"value":{"record":${JSON.stringify(record)},"rows":[${textOf(value)}`
  const end = Math.min(last, record?.lastSeq ?? 0)
  let at = lastIn(value)
  if (at >= end && begin.length < MOST_AT_ONCE) return begin + END
  let timer: ReturnType<typeof setTimeout> | undefined
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const release = (): void => {
    clearTimeout(timer)
    count(0)
  }
  const send = (text: string): void => {
    const chunk = encoder.encode(at < end ? text : text + END)
    count(chunk.byteLength)
    timer = setTimeout(() => {
      release()
      controller?.error(new Error('The client did not read on.'))
    }, maxMs)
    controller?.enqueue(chunk)
  }
  const source: UnderlyingDefaultSource<Uint8Array> = {
    start: (given) => void (controller = given),
    async pull() {
      release()
      if (at >= end) return controller?.close()
      const { value: part } = await readRows({ ...range, after: at, last: end, newest: null })
      if (makerOf(part.record ?? null) !== makerOf(record))
        throw new Error('The conversation was deleted while it was read.')
      at = lastIn(part)
      send(part.rows.length > 0 ? `,${textOf(part)}` : '')
    },
    cancel: release,
  }
  const stream = new ReadableStream(source, { highWaterMark: 0 })
  // Sent from here: the source's closure would keep `begin` in memory while the stream is open.
  send(begin)
  return stream
}

const END = ']}}'

function textOf({ rows }: FoundRows): string {
  return rows.map(({ data }) => data).join(',')
}

/** `seq` of the last row found. Without rows, the largest number, so that nothing more is read. */
function lastIn({ rows }: FoundRows): number {
  return rows.at(-1)?.seq ?? Number.MAX_SAFE_INTEGER
}
