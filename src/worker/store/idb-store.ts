import type { ConversationRecord, StorageReport } from '../../protocol/conversation.ts'
import type { Row } from '../../protocol/fact.ts'
import { randomId } from '../../lib/random-id.ts'
import {
  applyAppend,
  applyPlacement,
  applyRename,
  committedBefore,
  rowsBefore,
  wasPlaced,
  endsDraft,
  isCurrent,
} from './apply-append.ts'
import {
  type Contents,
  findContents,
  keepContents,
  packRow,
  releaseContents,
  unpackRows,
} from './attachments.ts'
import {
  Connection,
  type ConnectionOptions,
  DRAFTS,
  quietly,
  READ,
  type Read,
  withDatabase,
  write,
  type Write,
} from './idb-connection.ts'
import {
  claimRecord,
  isNewerFormat,
  lostRecord,
  makerOf,
  markRecord,
  publicRecord,
  type RecordChange,
  readRecord,
  refuseOrphan,
  type StoredRecord,
  unclaimed,
} from './record.ts'
import { isRecord } from '../../lib/shape.ts'
import {
  type Append,
  type Claim,
  type ListedRecords,
  type ListPage,
  pageOf,
  type Placement,
  type RowRange,
  type StepDraft,
  type Store,
  type StoredRows,
} from './store.ts'

/** Key range of a conversation's rows after `afterSeq`, to `toSeq` or the end. */
function rowsOf(conversationId: string, afterSeq = 0, toSeq: number = Infinity): IDBKeyRange {
  return IDBKeyRange.bound([conversationId, afterSeq], [conversationId, toSeq], true)
}

/** Conversations checked per listing: counting the rows of 5 000 conversations takes a browser 16 s. */
const MAX_COUNTED = 50
/** Keys of rows read per listing. */
const MAX_KEYS = 1000

/**
 * Finds rows without a record, and records with missing rows. Only other code can cause such damage, so each
 * conversation is checked only once, in parts: each listing checks the next part. Opening a conversation checks it,
 * too.
 */
class DamageFinder {
  readonly #orphanIds = new Set<string>()
  /** The conversations whose rows were counted, and whether some are missing. */
  readonly #counted = new Map<string, boolean>()
  /** Key range of rows that aren't checked yet. Null: all rows. Undefined: no rows. */
  #uncheckedRange: IDBKeyRange | null | undefined = null

  /** Substitute records for rows without a record. */
  async orphanRecords(records: readonly StoredRecord[], tx: Read): Promise<StoredRecord[]> {
    const ids = new Set(records.map((record) => record.conversationId))
    if (this.#uncheckedRange !== undefined) {
      const keys = await tx.objectStore('rows').getAllKeys(this.#uncheckedRange, MAX_KEYS)
      for (const [id] of keys) if (!ids.has(id)) this.#orphanIds.add(id)
      const last = keys.length < MAX_KEYS ? undefined : keys.at(-1)
      this.#uncheckedRange = last && IDBKeyRange.lowerBound([last[0], Infinity])
    }
    // Looked up again, since another tab may have deleted some.
    const orphans = [...this.#orphanIds]
      .filter((id) => !ids.has(id))
      .map((id) => findRecord(tx, id))
    return (await Promise.all(orphans)).filter((found) => found !== undefined)
  }

  /** Marks records with missing rows as broken. Skips newer formats, which may count rows differently. */
  async markBroken<R extends ConversationRecord>(records: readonly R[], tx: Read): Promise<R[]> {
    // A deleted conversation's id may be used again for an undamaged one, so the key includes more than the id.
    const countKey = (record: R): string => `${record.conversationId} ${makerOf(record)}`
    const unchecked = records.filter(
      (record) =>
        record.broken === undefined &&
        !isNewerFormat(record.format) &&
        !this.#counted.has(countKey(record)),
    )
    await Promise.all(
      unchecked.slice(0, MAX_COUNTED).map(async (record) => {
        const rows = await tx.objectStore('rows').count(rowsOf(record.conversationId))
        this.#counted.set(countKey(record), rows < record.lastSeq)
      }),
    )
    return records.map((record) =>
      this.#counted.get(countKey(record)) ? { broken: 'Rows are missing.', ...record } : record,
    )
  }
}

/** Rows read in one request. The browser reads the next part while this one is deserialised. */
const PART_SIZE = 1000
/** Limits the parts of one read: a damaged record may claim any number of rows. */
const MAX_PARTS = 100

/** Key of the only entry in `counters`. */
const COUNTER = 'epoch'

type RecordStores = { objectStore(name: 'records' | 'rows'): Readable }
type Indexed = { index(name: 'parent'): { getAllKeys(parentId: string): Promise<string[]> } }
type Readable = Pick<ReturnType<Read['objectStore']>, 'get' | 'getKey'>

/**
 * Opens the durable store. Resolves even if the database can't be opened yet: blocked by another tab, made by a newer
 * version, or failing. Uses fail with a typed error until it opens, and `report` is called at each change. Rejects only
 * if the browser gives the page no database at all.
 */
export async function openIdbStore(
  name: string,
  report: (state: StorageReport) => void = () => undefined,
  timeouts: Partial<Omit<ConnectionOptions, 'report'>> = {},
): Promise<Store> {
  const connection = new Connection(name, { report, openMs: 5000, ...timeouts })
  await connection.openFirst()
  return createIdbStore(connection)
}

function createIdbStore(connection: Connection): Store {
  const damage = new DamageFinder()
  return {
    read: (conversationId, range = {}) => readRows(connection, conversationId, range),
    place: async (placement) => {
      const contents = await findContents(placement.rows)
      return write(connection, 'relaxed', (tx) => placeIn(tx, placement, contents))
    },
    claim: async (...args) => {
      const claim = await write(connection, 'relaxed', (tx) => claimIn(tx, ...args))
      connection.noteStore(claim.storeId)
      return claim
    },
    append: async (append) => {
      const contents = await findContents(append.rows)
      const durability = append.strict ? 'strict' : 'relaxed'
      return write(connection, durability, (tx) => appendIn(tx, append, contents))
    },
    keepDraft: (draft) => write(connection, 'relaxed', (tx) => keepDraftIn(tx, draft)),
    draftOf: (conversationId) =>
      withDatabase(connection, (db) =>
        db.transaction(DRAFTS).objectStore('drafts').get(conversationId),
      ),
    list: (page) => listIn(connection, damage, page),
    get: (conversationId) => getRecord(connection, conversationId),
    rename: (conversationId, name) =>
      changeRecord(connection, conversationId, (record) => applyRename(record, name)),
    mark: async (conversationId, broken) => {
      await changeRecord(connection, conversationId, (record) => markRecord(record, broken))
    },
    descendants: (conversationId) =>
      withDatabase(connection, async (db) => {
        const [, ...descendants] = await treeOf(
          db.transaction(READ).objectStore('records'),
          conversationId,
        )
        return descendants
      }),
    delete: (conversationId) => write(connection, 'relaxed', (tx) => deleteIn(tx, conversationId)),
    close: () => {
      void connection.database().then(
        (db) => db.close(),
        () => undefined,
      )
      connection.forget()
    },
  }
}

async function keepDraftIn(tx: Write, draft: StepDraft): Promise<void> {
  const { conversationId } = draft
  const record = await tx.objectStore('records').get(conversationId)
  if (record === undefined || !isCurrent(draft, readRecord(conversationId, record))) return
  quietly(tx.objectStore('drafts').put(draft))
}

async function getRecord(
  connection: Connection,
  conversationId: string,
): Promise<ConversationRecord | null> {
  return withDatabase(connection, async (db) => {
    const record = await findRecord(db.transaction(READ), conversationId)
    return record ? publicRecord(record) : null
  })
}

async function listIn(
  connection: Connection,
  damage: DamageFinder,
  page: ListPage | undefined,
): Promise<ListedRecords> {
  return withDatabase(connection, async (db) => {
    const tx = db.transaction(READ)
    const stored = await tx.objectStore('records').getAll()
    const records = stored.flatMap((row) => {
      const id = isRecord(row) ? row['conversationId'] : null
      return typeof id === 'string' ? [readRecord(id, row)] : []
    })
    const all = [...records, ...(await damage.orphanRecords(records, tx))]
    const listed = pageOf(all.map(publicRecord), page)
    return { ...listed, records: await damage.markBroken(listed.records, tx) }
  })
}

/** Finds a record. Rows without a record are reported as a broken conversation, and never overwritten. */
async function findRecord(
  tx: RecordStores,
  conversationId: string,
): Promise<StoredRecord | undefined> {
  const record = await tx.objectStore('records').get(conversationId)
  if (record !== undefined) return readRecord(conversationId, record)
  const first = await tx.objectStore('rows').getKey(rowsOf(conversationId))
  return first === undefined ? undefined : lostRecord(conversationId)
}

/** Deletes a conversation with its descendants. False if it doesn't exist. */
async function deleteIn(tx: Write, conversationId: string): Promise<boolean> {
  if ((await findRecord(tx, conversationId)) === undefined) return false
  const ids = await treeOf(tx.objectStore('records'), conversationId)
  const deletions = ids.flatMap((id) => [
    tx.objectStore('records').delete(id),
    tx.objectStore('rows').delete(rowsOf(id)),
    tx.objectStore('drafts').delete(id),
  ])
  await Promise.all(deletions)
  await releaseContents(tx, ids)
  return true
}

/** Ids of the conversation, then of its descendants. */
async function treeOf(records: Indexed, conversationId: string): Promise<string[]> {
  const byParent = records.index('parent')
  const ids = new Set([conversationId])
  for (const id of ids) for (const childId of await byParent.getAllKeys(id)) ids.add(childId)
  return [...ids]
}

async function readRows(
  connection: Connection,
  conversationId: string,
  { after = 0, limit = Infinity, newest }: RowRange,
): Promise<StoredRows> {
  if (limit === 0) return { record: await getRecord(connection, conversationId), rows: [] }
  return withDatabase(connection, async (db) => {
    const tx = db.transaction(READ)
    const stored = await tx.objectStore('records').get(conversationId)
    const record =
      stored === undefined ? lostRecord(conversationId) : readRecord(conversationId, stored)
    const afterSeq = newest === undefined ? after : Math.max(0, record.lastSeq - newest)
    const max = newest === undefined ? limit : Infinity
    // The last part is open-ended: it includes rows beyond the record's `lastSeq`.
    const remaining = Math.min(record.lastSeq - afterSeq, max)
    const count = Math.min(Math.max(1, Math.ceil(remaining / PART_SIZE)), MAX_PARTS)
    const parts = Array.from({ length: count }, (_, index) => {
      const from = afterSeq + index * PART_SIZE
      const to = index + 1 < count ? from + PART_SIZE : afterSeq + max
      return tx.objectStore('rows').getAll(rowsOf(conversationId, from, to))
    })
    const rows = await unpackRows((await Promise.all(parts)).flat(), tx)
    const isMissing = stored === undefined && rows.length === 0
    return { record: isMissing ? null : publicRecord(record), rows }
  })
}

/** Changes a record. False if there is none, or `update` returns null. */
async function changeRecord(
  connection: Connection,
  conversationId: string,
  update: (record: StoredRecord) => RecordChange | null,
): Promise<boolean> {
  return write(connection, 'relaxed', async (tx) => {
    const stored = await tx.objectStore('records').get(conversationId)
    const changed = stored === undefined ? null : update(readRecord(conversationId, stored))
    if (changed) putRecord(tx, changed)
    return changed !== null
  })
}

async function claimIn(
  tx: Write,
  ...[conversationId, at, options]: Parameters<Store['claim']>
): Promise<Claim> {
  const [found, claim] = await Promise.all([findRecord(tx, conversationId), nextClaim(tx)])
  const known = found ?? unclaimed(conversationId, at, options)
  const record = claimRecord(known, claim.epoch, options)
  const { parent } = record
  const parentKey = parent && tx.objectStore('records').getKey(parent.conversationId)
  refuseOrphan(record, (await parentKey) !== undefined)
  await Promise.all([
    tx.objectStore('records').put(record),
    tx.objectStore('counters').put(claim, COUNTER),
  ])
  return { ...claim, epoch: record.epoch }
}

/** Returns the next claim, with all other fields of the counter. */
async function nextClaim(tx: Write): Promise<Claim> {
  const newest = await tx.objectStore('counters').get(COUNTER)
  return { ...newest, storeId: newest?.storeId ?? randomId(), epoch: (newest?.epoch ?? 0) + 1 }
}

async function placeIn(tx: Write, placement: Placement, contents: Contents): Promise<boolean> {
  const { conversationId, after } = placement
  const [found, claim] = await Promise.all([findRecord(tx, conversationId), nextClaim(tx)])
  if (wasPlaced(found, placement)) return true
  const placed = applyPlacement(found, placement, claim.epoch)
  if (placed === null) return false
  if (after === 0) {
    // Removes what an earlier import left.
    quietly(tx.objectStore('rows').delete(rowsOf(conversationId)))
    quietly(tx.objectStore('counters').put(claim, COUNTER))
    await releaseContents(tx, [conversationId])
  }
  await keepContents(tx, conversationId, contents)
  putRecord(tx, placed, contents)
  return true
}

async function appendIn(tx: Write, append: Append, contents: Contents): Promise<readonly Row[]> {
  const { conversationId } = append
  const record = await tx.objectStore('records').get(conversationId)
  const found = record === undefined ? undefined : readRecord(conversationId, record)
  const rows = tx.objectStore('rows')
  const committed = committedBefore(found, append)
  if (committed) {
    const after = rowsOf(conversationId, committed.first - 1)
    const stored = await rows.getAll(after, committed.count)
    return rowsBefore(append, committed, await unpackRows(stored, tx))
  }
  const applied = applyAppend(found, append)
  await keepContents(tx, conversationId, contents)
  if (endsDraft(append.rows)) quietly(tx.objectStore('drafts').delete(conversationId))
  putRecord(tx, applied, contents)
  return applied.rows
}

/**
 * Writes a record and its rows. Doesn't await each request, which would cost a turn of the queue. The end of the
 * transaction tells whether they succeeded.
 */
function putRecord(
  tx: Write,
  { record, rows }: RecordChange,
  contents: Contents = new Map(),
): void {
  for (const row of rows) quietly(tx.objectStore('rows').add(packRow(row, contents)))
  quietly(tx.objectStore('records').put(record))
}
