import { sleepUnlessAborted } from '../../lib/sleep.ts'
import type { StoreChange } from '../../worker/store/store.ts'
import { HEARTBEAT_MS } from '../wire.ts'
import type { TenantState, TenantStore } from './tenant-store.ts'

/** Changes that are read at once. */
const AT_ONCE = 500

export interface FollowOptions {
  /** The id of the last event that was seen. */
  readonly lastEventId: string | null
  /** How often the database is asked for what other processes have changed. Milliseconds. */
  readonly pollMs: number
  /** After so long the client asks anew, and is authorised anew. Milliseconds. */
  readonly mostMs: number
  /** Resolves when this process has changed something. */
  readonly changed: (signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
}

/** The changes of a tenant's conversations, as the text of server-sent events. */
export async function* follow(store: TenantStore, options: FollowOptions): AsyncGenerator<string> {
  const { signal, changed, pollMs, mostMs } = options
  const first = await stateOf(store)
  const seen = seenIn(options.lastEventId, first)
  let at = seen ?? first.change
  // What came before may have been missed; else it goes on where it was.
  yield seen === null ? missed(first) : ':\n\n'
  const ends = Date.now() + mostMs
  let beat = Date.now()
  while (!signal.aborted && Date.now() < ends) {
    // Before it is read: what changes meanwhile isn't waited for.
    const wake = new AbortController()
    const news = changed(AbortSignal.any([signal, wake.signal]))
    const state = await stateOf(store)
    // Another database, or an older one than it was: a backup.
    if (state.storeId !== first.storeId || state.change < at) return
    while (at < state.change) {
      const last = Math.min(at + AT_ONCE, state.change)
      const text = await eventsOf(store, { storeId: state.storeId, after: at, last })
      at = last
      if (text !== '') yield text
    }
    if (Date.now() - beat >= HEARTBEAT_MS) {
      beat = Date.now()
      yield ':\n\n'
    }
    await Promise.race([news, sleepUnlessAborted(pollMs, AbortSignal.any([signal, wake.signal]))])
    wake.abort()
  }
}

async function stateOf(store: TenantStore): Promise<TenantState> {
  return store.read(async () => null)
}

/** The number of the last change that was seen; null: nobody knows. */
function seenIn(lastEventId: string | null, { storeId, change }: TenantState): number | null {
  const [of, number] = (lastEventId ?? '').split('.')
  const seen = Number(number)
  return of === storeId && Number.isSafeInteger(seen) && seen >= 0 && seen <= change ? seen : null
}

function missed({ storeId, change }: TenantState): string {
  return event({ conversationId: null, lastSeq: 0 }, `${storeId}.${change}`)
}

/** Only the last one has an id: whoever loses the connection in between is told all of them again. */
async function eventsOf(
  store: TenantStore,
  { storeId, after, last }: { storeId: string; after: number; last: number },
): Promise<string> {
  const { value: found } = await store.read((rows) => rows.changes(after, last))
  return found
    .map((change, n) => event(change, n === found.length - 1 ? `${storeId}.${last}` : null))
    .join('')
}

function event(change: StoreChange, id: string | null): string {
  return `${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(change)}\n\n`
}
