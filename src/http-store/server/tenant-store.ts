import { randomId } from '../../lib/random-id.ts'
import type { SqlDatabase, SqlQuery, SqlRow } from './database.ts'
import { TenantRows } from './tenant-rows.ts'

export interface TenantState {
  /** Random id, made at the tenant's first use. */
  readonly storeId: string
  /** Number of the newest change. Streams of changes resume from it. */
  readonly change: number
}

/** Access to the store within a write transaction. The tenant has no other write transaction meanwhile. */
export interface Writing {
  readonly rows: TenantRows
  readonly storeId: string
  /** Number of this change. */
  readonly change: number
  /** Increments the store's epoch and resolves to it. */
  takeEpoch(): Promise<number>
}

export interface Done<T> extends TenantState {
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

  read<T>(work: (rows: TenantRows) => Promise<T>): Promise<Done<T>> {
    return this.#inTransaction((query) => work(new TenantRows(this.#tenant, query)))
  }

  write<T>(work: (writing: Writing) => Promise<T>): Promise<Done<T>> {
    return this.#inTransaction(
      (query, { storeId, change }) =>
        work({
          rows: new TenantRows(this.#tenant, query),
          storeId,
          change,
          takeEpoch: async () => {
            await query(EPOCH, { tenant: this.#tenant })
            const [found] = await query(STATE, { tenant: this.#tenant })
            return Number(found?.['epoch'])
          },
        }),
      { locks: true },
    )
  }

  async #inTransaction<T>(
    work: (query: SqlQuery, state: TenantState) => Promise<T>,
    { locks = false }: { readonly locks?: boolean } = {},
  ): Promise<Done<T>> {
    const tenant = this.#tenant
    const once = (): Promise<Done<T> | null> =>
      this.#database.transaction(async (query) => {
        if (locks) await query(LOCK, { tenant })
        const [found] = await query(STATE, { tenant })
        if (found === undefined) return null
        const state = stateIn(found)
        return { ...state, value: await work(query, state) }
      })
    const done = (await once()) ?? (await this.#create(), await once())
    if (done === null) throw new Error('The tenant could not be created.')
    return done
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
  const found = await query(`${STATES} WHERE tenant IN (${names})`, values)
  return found.map((row) => [String(row['tenant']), stateIn(row)])
}

function stateIn(row: SqlRow): TenantState {
  return { storeId: String(row['store_id']), change: Number(row['newest_change']) }
}
