import type { Row } from '../../protocol/fact.ts'
import { readRecord, type StoredRecord } from '../../worker/store/record.ts'
import type { StoreChange } from '../../worker/store/store.ts'
import type { SqlQuery, SqlValue } from './database.ts'

/** Rows that one statement inserts: databases have a limit of parameters. */
const AT_ONCE = 200

/** A record as it was found in its place. */
export interface Found {
  readonly record: StoredRecord | undefined
  /** Number of the newest change of the record, or of the tombstone of one that was deleted; null: neither is there. */
  readonly changedAt: number | null
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
    const [found] = await this.#ask(
      'SELECT record, newest_change FROM offstage_records WHERE tenant = @tenant AND conversation = @conversation',
      { conversation: conversationId },
    )
    const record = recordIn(conversationId, found?.['record'])
    return { record, changedAt: found ? Number(found['newest_change']) : null }
  }

  /** Writes the record in the place of what was found, as the newest change. */
  async put(
    record: StoredRecord,
    { changedAt, change }: { changedAt: number | null; change: number },
  ): Promise<void> {
    await this.#ask(changedAt === null ? INSERT_RECORD : UPDATE_RECORD, {
      conversation: record.conversationId,
      parent: record.parent?.conversationId ?? null,
      updated: record.updatedAt,
      last: record.lastSeq,
      change,
      record: JSON.stringify(record),
    })
  }

  async add(rows: readonly Row[]): Promise<void> {
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      const some = rows.slice(at, at + AT_ONCE)
      const places = some.map((_, n) => `(@tenant, @conversation, @seq${n}, @data${n})`)
      const values: Record<string, SqlValue> = { conversation: some[0]?.conversationId ?? '' }
      for (const [n, row] of some.entries()) {
        values[`seq${n}`] = row.seq
        values[`data${n}`] = JSON.stringify(row)
      }
      await this.#ask(
        `INSERT INTO offstage_rows (tenant, conversation, seq, data) VALUES ${places.join(', ')}`,
        values,
      )
    }
  }

  /** The record and the texts of rows, as they were at one moment. `newest`: as many of the end, in place of `after`. */
  async read(
    conversationId: string,
    { after, last, newest }: { after: number; last: number; newest: number | null },
  ): Promise<{ record: StoredRecord | undefined; rows: string[] }> {
    const found =
      newest === null
        ? await this.#ask(READ, { conversation: conversationId, after, last })
        : await this.#ask(READ_NEWEST, { conversation: conversationId, newest })
    const [first, ...rest] = found
    const record = recordIn(conversationId, first?.['data'])
    return { record, rows: record ? rest.map(({ data }) => String(data)) : [] }
  }

  /** Where a page of the list begins: after this place. */
  async list(
    limit: number,
    after: { readonly updatedAt: number; readonly conversationId: string } | null,
  ): Promise<StoredRecord[]> {
    const found = after
      ? await this.#ask(LIST_AFTER, {
          limit,
          updated: after.updatedAt,
          conversation: after.conversationId,
        })
      : await this.#ask(LIST, { limit })
    return found.map(({ conversation, record }) =>
      readRecord(String(conversation), parsed(String(record))),
    )
  }

  /** Itself, then its descendants. */
  async treeOf(conversationId: string): Promise<string[]> {
    const tree = new Set([conversationId])
    for (const id of tree)
      for (const { conversation } of await this.#ask(
        'SELECT conversation FROM offstage_records WHERE tenant = @tenant AND parent = @parent',
        { parent: id },
      ))
        tree.add(String(conversation))
    return [...tree]
  }

  async deleteRows(conversationId: string): Promise<void> {
    await this.#ask(
      'DELETE FROM offstage_rows WHERE tenant = @tenant AND conversation = @conversation',
      { conversation: conversationId },
    )
  }

  /** What is left of a conversation: its id, so that who was away hears of it. */
  async bury(conversationId: string, change: number): Promise<void> {
    await this.deleteRows(conversationId)
    await this.#ask(UPDATE_RECORD, {
      conversation: conversationId,
      parent: null,
      updated: 0,
      last: 0,
      change,
      record: null,
    })
  }

  /** The conversations that have changed in these changes, in their order. */
  async changes(after: number, last: number): Promise<StoreChange[]> {
    const found = await this.#ask(CHANGES, { after, last })
    return found.map((each) => {
      const conversationId = String(each['conversation'])
      const { epoch = 0 } = recordIn(conversationId, each['record']) ?? {}
      return { conversationId, lastSeq: Number(each['last_seq']), epoch }
    })
  }

  #ask(sql: string, values: Readonly<Record<string, SqlValue>>): ReturnType<SqlQuery> {
    return this.#query(sql, { tenant: this.#tenant, ...values })
  }
}

const INSERT_RECORD = `INSERT INTO offstage_records
  (tenant, conversation, parent, updated_at, last_seq, newest_change, record)
  VALUES (@tenant, @conversation, @parent, @updated, @last, @change, @record)`

const UPDATE_RECORD = `UPDATE offstage_records
  SET parent = @parent, updated_at = @updated, last_seq = @last, newest_change = @change, record = @record
  WHERE tenant = @tenant AND conversation = @conversation`

/** One statement sees one moment, whatever else goes on. The record comes first, in the place of row 0. */
const RECORD_FIRST = `SELECT 0 AS seq, record AS data FROM offstage_records
  WHERE tenant = @tenant AND conversation = @conversation AND record IS NOT NULL
  UNION ALL
  SELECT seq, data FROM offstage_rows WHERE tenant = @tenant AND conversation = @conversation`

const READ = `${RECORD_FIRST} AND seq > @after AND seq <= @last ORDER BY seq`

const READ_NEWEST = `${RECORD_FIRST} AND seq > (
    SELECT last_seq FROM offstage_records WHERE tenant = @tenant AND conversation = @conversation
  ) - @newest ORDER BY seq`

const IN_ORDER = 'ORDER BY updated_at DESC, conversation LIMIT @limit'

const LISTED =
  'SELECT conversation, record FROM offstage_records WHERE tenant = @tenant AND record IS NOT NULL'

const LIST = `${LISTED} ${IN_ORDER}`

const LIST_AFTER = `${LISTED} AND (updated_at < @updated
  OR (updated_at = @updated AND conversation > @conversation)) ${IN_ORDER}`

const CHANGES = `SELECT conversation, last_seq, record FROM offstage_records
  WHERE tenant = @tenant AND newest_change > @after AND newest_change <= @last ORDER BY newest_change`

function recordIn(conversationId: string, text: unknown): StoredRecord | undefined {
  return typeof text === 'string' ? readRecord(conversationId, parsed(text)) : undefined
}

/** Null stands for what can't be read: `readRecord` says that it is broken. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
