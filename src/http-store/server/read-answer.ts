import { makerOf, publicRecord } from '../../worker/store/record.ts'
import type { HttpCalls } from '../wire.ts'
import type { FoundRows, RowsRange } from './tenant-rows.ts'
import type { Done } from './tenant-store.ts'

/** Characters of the rows that are read at once: a conversation may have more than the memory of this process. */
const MOST_AT_ONCE = 1_000_000

/** Reads rows of the conversation, in a transaction of its own. */
type ReadRows = (range: RowsRange) => Promise<Done<FoundRows>>

const encoder: TextEncoder = new TextEncoder()

/**
 * A conversation as JSON: a text, or where it is long a stream, which reads on as the client does. Rows never change, so the
 * parts make up the conversation as it was at first. The stream fails where it was deleted since, and the client asks again.
 */
export async function readAnswer(
  { after = 0, limit, newest }: HttpCalls['read']['asks'],
  readRows: ReadRows,
): Promise<string | ReadableStream<Uint8Array>> {
  const last = limit === undefined ? Number.MAX_SAFE_INTEGER : after + limit
  const range = { after, last, newest: newest ?? null, most: MOST_AT_ONCE }
  const { storeId, change, value } = await readRows(range)
  const record = value.record ? publicRecord(value.record) : null
  const of = `"storeId":${JSON.stringify(storeId)},"change":${change}`
  const begin = `{${of},"value":{"record":${JSON.stringify(record)},"rows":[${textOf(value)}`
  const end = Math.min(last, record?.lastSeq ?? 0)
  if (lastIn(value) >= end) return begin + END
  let at = lastIn(value)
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(begin)),
      async pull(controller) {
        const { value: part } = await readRows({ ...range, after: at, last: end, newest: null })
        if (makerOf(part.record ?? null) !== makerOf(record))
          throw new Error('The conversation was deleted while it was read.')
        at = lastIn(part)
        const text = part.rows.length > 0 ? `,${textOf(part)}` : ''
        controller.enqueue(encoder.encode(at < end ? text : text + END))
        if (at >= end) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

const END = ']}}'

function textOf({ rows }: FoundRows): string {
  return rows.map(({ data }) => data).join(',')
}

/** Beyond the last row that is there, none is. */
function lastIn({ rows }: FoundRows): number {
  return rows.at(-1)?.seq ?? Number.MAX_SAFE_INTEGER
}
