import { randomId } from '../../lib/random-id.ts'
import { parseOrNull } from '../../lib/shape.ts'
import type { SqlDatabase, SqlQuery, SqlRow, SqlValue } from './database.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { Row } from '../../protocol/fact.ts'
import { readRecord, type StoredRecord } from '../../worker/store/record.ts'
import type { StoreChange } from '../../worker/store/store.ts'

export interface TenantState {
  /** Random id, generated when the tenant first uses the store. */
  readonly storeId: string
  /** Number of the newest change. Streams of changes resume from it. */
  readonly change: number
}

/** Access to the store within a write transaction, which is the tenant's only one at that time. */
export interface Writing {
  readonly rows: TenantRows
  readonly storeId: string
  /** Number of this change. */
  readonly change: number
  /** Increments the store's epoch. Resolves to the new epoch. */
  takeEpoch(): Promise<number>
}

export interface TenantResult<T> extends TenantState {
  readonly value: T
}

const LOCK = 'UPDATE offstage_tenants SET newest_change = newest_change + 1 WHERE tenant = @tenant'
const EPOCH = 'UPDATE offstage_tenants SET epoch = epoch + 1 WHERE tenant = @tenant'
const STATES = 'SELECT tenant, store_id, epoch, newest_change FROM offstage_tenants'
const STATE = `${STATES} WHERE tenant = @tenant`
const CREATE = `INSERT INTO offstage_tenants (tenant, store_id, epoch, newest_change)
  VALUES (@tenant, @store, 0, 0)`

/**
 * Transactions of one tenant. Write transactions run one after the other, because each first locks the tenant's row.
 */
export class TenantStore {
  readonly #database: SqlDatabase
  readonly #tenant: string

  constructor(database: SqlDatabase, tenant: string) {
    this.#database = database
    this.#tenant = tenant
  }

  read<T>(work: (rows: TenantRows) => Promise<T>): Promise<TenantResult<T>> {
    return this.#inTransaction((query) => work(new TenantRows(this.#tenant, query)))
  }

  write<T>(work: (writing: Writing) => Promise<T>): Promise<TenantResult<T>> {
    return this.#inTransaction(
      (query, { storeId, change }) =>
        work({
          rows: new TenantRows(this.#tenant, query),
          storeId,
          change,
          takeEpoch: async () => {
            await query(EPOCH, { tenant: this.#tenant })
            const [row] = await query(STATE, { tenant: this.#tenant })
            return Number(row?.['epoch'])
          },
        }),
      { locks: true },
    )
  }

  async #inTransaction<T>(
    work: (query: SqlQuery, state: TenantState) => Promise<T>,
    { locks = false }: { readonly locks?: boolean } = {},
  ): Promise<TenantResult<T>> {
    const tenant = this.#tenant
    const runOnce = (): Promise<TenantResult<T> | null> =>
      this.#database.transaction(async (query) => {
        if (locks) await query(LOCK, { tenant })
        const [row] = await query(STATE, { tenant })
        if (row === undefined) return null
        const state = stateIn(row)
        return { ...state, value: await work(query, state) }
      })
    const result = (await runOnce()) ?? (await this.#create(), await runOnce())
    if (result === null) throw new Error('The tenant could not be created.')
    return result
  }

  /** Creates the tenant. Ignores failures, because another request may create it at the same time. */
  async #create(): Promise<void> {
    await this.#database
      .transaction((query) => query(CREATE, { tenant: this.#tenant, store: randomId() }))
      .catch(() => undefined)
  }
}

/** States of several tenants, read by one statement. Unknown tenants are left out. */
export async function statesOf(
  query: SqlQuery,
  tenants: readonly string[],
): Promise<[string, TenantState][]> {
  const names = tenants.map((_, n) => `@t${n}`).join(', ')
  const values = Object.fromEntries(tenants.map((tenant, n) => [`t${n}`, tenant]))
  const rows = await query(`${STATES} WHERE tenant IN (${names})`, values)
  return rows.map((row) => [String(row['tenant']), stateIn(row)])
}

function stateIn(row: SqlRow): TenantState {
  return { storeId: String(row['store_id']), change: Number(row['newest_change']) }
}

/** Maximum characters of a record. An answer may contain 1000 records, and a record at most 1000 call ids. */
const MOST_OF_RECORD = 100_000

/** Maximum rows inserted by one statement, because databases limit the number of parameters. */
const AT_ONCE = 200

/** A record, if it exists, and the number of its newest change. */
export interface Found {
  readonly record: StoredRecord | undefined
  /** Number of the newest change of the record, or of a deleted record's tombstone. Null: neither exists. */
  readonly changedAt: number | null
}

export interface RowsRange {
  readonly after: number
  readonly last: number
  /** Number of rows from the end, instead of `after` and `last`. */
  readonly newest: number | null
  /** Number of characters after which no further rows are read. */
  readonly most: number
  readonly mostRows: number
}

export interface FoundRows {
  readonly record: StoredRecord | undefined
  /** Rows as stored: `data` is JSON. */
  readonly rows: readonly { readonly seq: number; readonly data: string }[]
}

/** The records and rows of one tenant, within one transaction. */
export class TenantRows {
  readonly #tenant: string
  readonly #query: SqlQuery

  constructor(tenant: string, query: SqlQuery) {
    this.#tenant = tenant
    this.#query = query
  }

  async find(conversationId: string): Promise<Found> {
    const [row] = await this.#queryTenant(
      'SELECT record, newest_change FROM offstage_records WHERE tenant = @tenant AND conversation = @conversation',
      { conversation: conversationId },
    )
    const record = recordIn(conversationId, row?.['record'])
    return { record, changedAt: row ? Number(row['newest_change']) : null }
  }

  /** Inserts or replaces the record, as the newest change. */
  async put(
    record: StoredRecord,
    { changedAt, change }: { changedAt: number | null; change: number },
  ): Promise<void> {
    const text = JSON.stringify(record)
    if (text.length > MOST_OF_RECORD)
      throw new OffstageError('invalid-input', 'The ids of unfinished calls are too long.')
    await this.#queryTenant(changedAt === null ? INSERT_RECORD : UPDATE_RECORD, {
      conversation: record.conversationId,
      parent: record.parent?.conversationId ?? null,
      updated: record.updatedAt,
      last: record.lastSeq,
      change,
      record: text,
    })
  }

  async add(rows: readonly Row[]): Promise<void> {
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      const batch = rows.slice(at, at + AT_ONCE)
      const placeholders = batch.map((_, n) => `(@tenant, @conversation, @seq${n}, @data${n})`)
      const values: Record<string, SqlValue> = { conversation: batch[0]?.conversationId ?? '' }
      for (const [n, row] of batch.entries()) {
        values[`seq${n}`] = row.seq
        values[`data${n}`] = JSON.stringify(row)
      }
      await this.#queryTenant(
        `INSERT INTO offstage_rows (tenant, conversation, seq, data) VALUES ${placeholders.join(', ')}`,
        values,
      )
    }
  }

  /**
   * The record and a range of rows, as they were at one moment. Always has the first row. More follow, up to
   * `mostRows`, until the text has `most` characters.
   */
  async read(conversationId: string, { newest, ...range }: RowsRange): Promise<FoundRows> {
    const conversation = conversationId
    const { most, mostRows } = range
    const selected =
      newest === null
        ? await this.#queryTenant(READ, { conversation, ...range })
        : await this.#queryTenant(READ_NEWEST, { conversation, newest, most, mostRows })
    const [first, ...rowResults] = selected
    const record = recordIn(conversationId, first?.['data'])
    const rows = rowResults.map(({ seq, data }) => ({ seq: Number(seq), data: String(data) }))
    return { record, rows: record ? rows : [] }
  }

  /** Lists one page of records, beginning after the place `after`. `length`: characters of the stored record. */
  async list(
    limit: number,
    after: { readonly updatedAt: number; readonly conversationId: string } | null,
  ): Promise<{ readonly record: StoredRecord; readonly length: number }[]> {
    const selected = after
      ? await this.#queryTenant(LIST_AFTER, {
          limit,
          updated: after.updatedAt,
          conversation: after.conversationId,
        })
      : await this.#queryTenant(LIST, { limit })
    return selected.map(({ conversation, updated_at: updatedAt, record }) => ({
      // The time comes from the column: a damaged record has no time, or another one.
      record: {
        ...readRecord(String(conversation), parseOrNull(String(record))),
        updatedAt: Number(updatedAt),
      },
      length: String(record).length,
    }))
  }

  /** Returns the id of the conversation, followed by those of its descendants. */
  async treeOf(conversationId: string): Promise<string[]> {
    const tree = new Set([conversationId])
    for (const id of tree)
      for (const { conversation } of await this.#queryTenant(
        'SELECT conversation FROM offstage_records WHERE tenant = @tenant AND parent = @parent',
        { parent: id },
      ))
        tree.add(String(conversation))
    return [...tree]
  }

  async deleteRows(conversationId: string): Promise<void> {
    await this.#queryTenant(
      'DELETE FROM offstage_rows WHERE tenant = @tenant AND conversation = @conversation',
      { conversation: conversationId },
    )
  }

  /**
   * Deletes a conversation, but keeps its id as a tombstone. Clients that were offline learn of the deletion from it.
   */
  async bury(conversationId: string, change: number): Promise<void> {
    await this.deleteRows(conversationId)
    await this.#queryTenant(UPDATE_RECORD, {
      conversation: conversationId,
      parent: null,
      updated: 0,
      last: 0,
      change,
      record: null,
    })
  }

  /** Conversations that changed between two change numbers, oldest change first. */
  async changes(after: number, last: number): Promise<StoreChange[]> {
    const selected = await this.#queryTenant(CHANGES, { after, last })
    return selected.map((each) => {
      const conversationId = String(each['conversation'])
      const { epoch = 0 } = recordIn(conversationId, each['record']) ?? {}
      return { conversationId, lastSeq: Number(each['last_seq']), epoch }
    })
  }

  #queryTenant(sql: string, values: Readonly<Record<string, SqlValue>>): ReturnType<SqlQuery> {
    return this.#query(sql, { tenant: this.#tenant, ...values })
  }
}

const INSERT_RECORD = `INSERT INTO offstage_records
  (tenant, conversation, parent, updated_at, last_seq, newest_change, record)
  VALUES (@tenant, @conversation, @parent, @updated, @last, @change, @record)`

const UPDATE_RECORD = `UPDATE offstage_records
  SET parent = @parent, updated_at = @updated, last_seq = @last, newest_change = @change, record = @record
  WHERE tenant = @tenant AND conversation = @conversation`

/** A single statement sees the database at one moment, whatever else runs. Row 0 is the record. */
const readWhere = (range: string): string => `SELECT 0 AS seq, record AS data FROM offstage_records
  WHERE tenant = @tenant AND conversation = @conversation AND record IS NOT NULL
  UNION ALL
  SELECT seq, data FROM (
    SELECT seq, data, SUM(LENGTH(data)) OVER (ORDER BY seq) - LENGTH(data) AS before_it FROM (
      SELECT seq, data FROM offstage_rows
      WHERE tenant = @tenant AND conversation = @conversation AND ${range} ORDER BY seq LIMIT @mostRows
    ) AS next
  ) AS sized WHERE before_it < @most ORDER BY seq`

const READ: string = readWhere('seq > @after AND seq <= @last')

const READ_NEWEST: string = readWhere(`seq > (
    SELECT last_seq FROM offstage_records WHERE tenant = @tenant AND conversation = @conversation
  ) - @newest`)

const IN_ORDER = 'ORDER BY updated_at DESC, conversation LIMIT @limit'

const LISTED = `SELECT conversation, updated_at, record FROM offstage_records
  WHERE tenant = @tenant AND record IS NOT NULL`

const LIST = `${LISTED} ${IN_ORDER}`

const LIST_AFTER = `${LISTED} AND (updated_at < @updated
  OR (updated_at = @updated AND conversation > @conversation)) ${IN_ORDER}`

const CHANGES = `SELECT conversation, last_seq, record FROM offstage_records
  WHERE tenant = @tenant AND newest_change > @after AND newest_change <= @last ORDER BY newest_change`

/** An unreadable text gives a record that is marked as broken. */
function recordIn(conversationId: string, text: unknown): StoredRecord | undefined {
  return typeof text === 'string' ? readRecord(conversationId, parseOrNull(text)) : undefined
}
