import { OffstageError } from '../../protocol/error.ts'
import { FORMAT } from '../../protocol/fact.ts'
import {
  applyAppend,
  applyRename,
  committedBefore,
  rowsBefore,
} from '../../worker/store/apply-append.ts'
import { applyPlacement, wasPlaced } from '../../worker/store/apply-placement.ts'
import { placeAfter, readPlace } from '../../worker/store/pages.ts'
import {
  claimRecord,
  markRecord,
  publicRecord,
  refuseOrphan,
  unclaimed,
} from '../../worker/store/record.ts'
import type { HttpAnswer, HttpCall, HttpCalls, HttpRequest } from '../wire.ts'
import { refuseNewerFormat } from './read-request.ts'
import type { Found, TenantRows } from './tenant-rows.ts'
import type { TenantStore, Writing } from './tenant-store.ts'

/** Most records of one page of a list. A worker asks for all pages, one after the other. */
const MOST_LISTED = 1000

type Asked<Call extends HttpCall> = HttpCalls[Call]['asks'] & Pick<HttpRequest, 'seen'>
type Value<Call extends HttpCall> = HttpCalls[Call]['answers']

/** Carries out a request in one transaction and returns the answer as JSON. `readAnswer` does it for `read`. */
export async function answer(
  store: TenantStore,
  request: Exclude<HttpRequest, { readonly call: 'read' }>,
): Promise<string> {
  if (WRITES.has(request.call)) refuseOtherFormat(request.format)
  switch (request.call) {
    case 'claim':
      return json(await store.write((writing) => claim(writing, request)))
    case 'append':
      return json(await store.write((writing) => append(writing, request)))
    case 'place':
      return json(await store.write((writing) => place(writing, request)))
    case 'rename':
      return json(await store.write((writing) => rename(writing, request)))
    case 'mark':
      return json(await store.write((writing) => mark(writing, request)))
    case 'delete':
      return json(await store.write((writing) => remove(writing, request)))
    case 'get':
      return json(await store.read((rows) => get(rows, request)))
    case 'list':
      return json(await store.read((rows) => list(rows, request)))
    case 'descendants':
      return json(await store.read((rows) => descendants(rows, request)))
    default:
      return request satisfies never
  }
}

/** Calls that write rows, or that allow the caller to write them. */
const WRITES: ReadonlySet<HttpCall> = new Set(['claim', 'append', 'place', 'rename'])

/** Whether followers must be notified of the call. */
export function isChange({ call }: HttpRequest): boolean {
  return WRITES.has(call) || call === 'mark' || call === 'delete'
}

/** Refuses another format than this version's: its rows would have another meaning. */
function refuseOtherFormat(format: number): void {
  if (format < FORMAT)
    throw new OffstageError(
      'storage-newer',
      `The server has a newer Offstage (format ${FORMAT}): reload the page or update the package.`,
      { details: { format: FORMAT } },
    )
  refuseNewerFormat(format)
}

/**
 * Refuses a request sent before the newest change of its conversation. A client that still waits for the answer asks
 * again at once. Nobody waits for the answer to a late copy, which would undo that change.
 */
function refuseLate(
  changedAt: Found['changedAt'],
  { seen, change }: { readonly seen: number | undefined; readonly change: number },
): void {
  if (seen === undefined || changedAt === null || changedAt <= seen) return
  throw new OffstageError('storage-failed', 'The conversation has changed since this was sent.', {
    retryable: true,
    details: { change: change - 1 },
  })
}

function json<T>({ storeId, change, value }: Required<HttpAnswer<T>>): string {
  return JSON.stringify({ storeId, change, value } satisfies HttpAnswer<T>)
}

async function claim(
  { rows, storeId, change, takeEpoch }: Writing,
  { conversationId, at, seen, ...options }: Asked<'claim'>,
): Promise<Value<'claim'>> {
  const { record, changedAt } = await rows.find(conversationId)
  const found = record ?? unclaimed(conversationId, at, options)
  // A claim's own conditions refuse a late copy, unless the conversation was deleted.
  if (record === undefined) refuseLate(changedAt, { seen, change })
  const parent = found.parent && (await rows.find(found.parent.conversationId)).record
  refuseOrphan(found, parent !== undefined)
  const claimed = claimRecord(found, await takeEpoch(), options)
  if (claimed !== found) await rows.put(claimed, { changedAt, change })
  return { storeId, epoch: claimed.epoch }
}

async function append({ rows, change }: Writing, asked: Asked<'append'>): Promise<Value<'append'>> {
  const { record: found, changedAt } = await rows.find(asked.conversationId)
  const before = committedBefore(found, asked)
  if (found && before) {
    const { first, count } = before
    // They are no more than the append's body was.
    const stored = await rows.read(asked.conversationId, {
      after: first - 1,
      last: first - 1 + count,
      newest: null,
      most: Number.MAX_SAFE_INTEGER,
      mostRows: count,
    })
    const written = rowsBefore(
      asked,
      before,
      stored.rows.map(({ data }) => JSON.parse(data) as unknown),
    )
    return { record: publicRecord(found), first, rows: written }
  }
  const applied = applyAppend(found, asked)
  await rows.put(applied.record, { changedAt, change })
  await rows.add(applied.rows)
  const first = applied.record.lastSeq - applied.rows.length + 1
  return { record: publicRecord(applied.record), first }
}

async function place(
  { rows, change, takeEpoch }: Writing,
  placement: Asked<'place'>,
): Promise<Value<'place'>> {
  const { conversationId, after } = placement
  const { record, changedAt } = await rows.find(conversationId)
  if (wasPlaced(record, placement)) return true
  refuseLate(changedAt, { seen: placement.seen, change })
  const epoch = after === 0 ? await takeEpoch() : 0
  const placed = applyPlacement(record, placement, epoch)
  if (placed === null) return false
  // Rows of an earlier, unfinished import.
  if (after === 0) await rows.deleteRows(conversationId)
  await rows.put(placed.record, { changedAt, change })
  await rows.add(placed.rows)
  return true
}

async function rename(
  { rows, change }: Writing,
  { conversationId, seen, ...name }: Asked<'rename'>,
): Promise<Value<'rename'>> {
  const { record, changedAt } = await rows.find(conversationId)
  if (record === undefined) return false
  if (name.ifLastSeq !== undefined && name.ifLastSeq !== record.lastSeq) return false
  refuseLate(changedAt, { seen, change })
  const renamed = applyRename(record, name)
  await rows.put(renamed.record, { changedAt, change })
  await rows.add(renamed.rows)
  return true
}

async function mark(
  { rows, change }: Writing,
  { conversationId, broken, seen }: Asked<'mark'>,
): Promise<Value<'mark'>> {
  const { record, changedAt } = await rows.find(conversationId)
  refuseLate(changedAt, { seen, change })
  const marked = record && markRecord(record, broken)
  if (marked) await rows.put(marked, { changedAt, change })
  return null
}

async function remove(
  { rows, change }: Writing,
  { conversationId, seen }: Asked<'delete'>,
): Promise<Value<'delete'>> {
  const { record, changedAt } = await rows.find(conversationId)
  if (record === undefined) return false
  refuseLate(changedAt, { seen, change })
  for (const id of await rows.treeOf(conversationId)) await rows.bury(id, change)
  return true
}

async function get(rows: TenantRows, { conversationId }: Asked<'get'>): Promise<Value<'get'>> {
  const { record } = await rows.find(conversationId)
  return record ? publicRecord(record) : null
}

async function list(
  rows: TenantRows,
  { limit = MOST_LISTED, after }: Asked<'list'>,
): Promise<Value<'list'>> {
  const most = Math.min(limit, MOST_LISTED)
  const found = await rows.list(most + 1, readPlace(after))
  const records = found.slice(0, most).map(publicRecord)
  const last = records.at(-1)
  return { records, next: last && found.length > most ? placeAfter(last) : null }
}

async function descendants(
  rows: TenantRows,
  { conversationId }: Asked<'descendants'>,
): Promise<Value<'descendants'>> {
  const [, ...below] = await rows.treeOf(conversationId)
  return below
}
