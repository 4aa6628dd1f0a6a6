import { type CustomStorage, storageKey } from '../../protocol/conversation.ts'
import { OffstageError } from '../../protocol/error.ts'
import { FORMAT, type Row } from '../../protocol/fact.ts'
import type { Append, Store } from '../../worker/store/store.ts'
import type { StoreDefinition } from '../../worker/store/stores.ts'
import { Changes } from '../../worker/store/changes.ts'
import { refuseUnsound } from '../../worker/store/check-row.ts'
import type { Appended } from '../wire.ts'
import { Copy } from './copy.ts'
import { followChanges } from './follow-changes.ts'
import { type Fetch, Line } from './line.ts'

export interface HttpStoreOptions {
  /** URL of the server's handler, on the page's own server or on one that allows its origin. */
  readonly url: string
  /** Name under which pages choose the store: `storage: { type }`. Default `'http'`. */
  readonly type?: string
  /** Headers of each request, such as a token. Called for each request with the page's `storage`. Default: none. */
  readonly headers?: (storage: CustomStorage) => HeadersInit | Promise<HeadersInit>
  /** Function that sends requests. Default: the worker's `fetch`, which sends the cookies of the page's origin. */
  readonly fetch?: Fetch
  /** Whether this browser keeps a copy for reading while the server can't be reached. Default true. */
  readonly copy?: boolean
  /** Longest time for an answer. Default 60 000. Milliseconds. */
  readonly timeoutMs?: number
}

/** A store on your own server, which answers with `createStoreHandler`. Pass it to `startWorker({ stores })`. */
export function httpStore(options: HttpStoreOptions): StoreDefinition {
  const { type = 'http' } = options
  return { type, open: async (...opening) => openHttpStore(options, ...opening) }
}

function openHttpStore(
  options: HttpStoreOptions,
  ...[storage, report, visibility]: Parameters<StoreDefinition['open']>
): Store {
  const { url, headers, timeoutMs = 60_000 } = options
  const closed = new AbortController()
  const changes = new Changes()
  const name = `${url} ${storageKey(storage)}`
  const hasCopy = options.copy !== false && globalThis.indexedDB !== undefined
  const copy = hasCopy ? new Copy(name) : null
  const line = new Line({
    url,
    headers: () => headers?.(storage) ?? {},
    fetch: options.fetch ?? ((...asked) => fetch(...asked)),
    timeoutMs,
    report,
    onBack: () => changes.report({ conversationId: null, lastSeq: 0 }),
    onStore: (storeId) => void copy?.of(storeId),
    closed: closed.signal,
  })
  changes.follow(({ conversationId, lastSeq }) => {
    if (conversationId !== null && lastSeq === 0) void copy?.forget(conversationId)
  })
  const follow = (): void =>
    void followChanges({ line, name, visibility, changes, signal: closed.signal })
  return storeOn(line, { copy, changes, closed, follow })
}

interface Parts {
  readonly copy: Copy | null
  readonly changes: Changes
  readonly closed: AbortController
  /** Starts following the server. Called once, when somebody here follows changes. */
  readonly follow: () => void
}

function storeOn(line: Line, { copy, changes, closed, follow }: Parts): Store {
  let isFollowed = false
  return {
    claim: (conversationId, at, claim) => line.ask('claim', { conversationId, at, ...claim }),
    append: async ({ strict: _always, ...append }) => {
      append.rows.forEach(refuseUnsound)
      const appended = await line.ask('append', append)
      const rows = rowsOf(append, appended)
      if (appended.record) void copy?.keep(appended.record, rows)
      return rows
    },
    // Drafts are not stored: a step's text goes to the server once it is complete.
    keepDraft: async () => undefined,
    draftOf: async () => undefined,
    place: (placement) => line.ask('place', placement),
    read: async (conversationId, range = {}) =>
      orCopy(
        async () => {
          const stored = await line.ask('read', { conversationId, ...range })
          const { record, rows } = stored
          void (record ? copy?.keep(record, rows) : copy?.forget(conversationId))
          return stored
        },
        () => copy?.read(conversationId, range),
      ),
    get: (conversationId) => line.ask('get', { conversationId }),
    list: async (page) =>
      orCopy(
        async () => {
          const listed = await line.ask('list', page ?? {})
          void copy?.keepList(listed.records)
          return listed
        },
        () => copy?.list(page),
      ),
    rename: (conversationId, name) => line.ask('rename', { conversationId, ...name }),
    mark: async (conversationId, broken) =>
      void (await line.ask('mark', { conversationId, broken })),
    descendants: (conversationId) => line.ask('descendants', { conversationId }),
    delete: async (conversationId) => {
      const isDeleted = await line.ask('delete', { conversationId })
      void copy?.forget(conversationId)
      return isDeleted
    },
    follow: (onChange) => {
      if (!isFollowed) follow()
      isFollowed = true
      return changes.follow(onChange)
    },
    close: () => {
      closed.abort()
      copy?.close()
    },
  }
}

/** The written rows: those that were sent, with the server's numbers, or those that a repeat found. */
function rowsOf(
  { conversationId, appendId, rows }: Append,
  { first, rows: before }: Appended,
): readonly Row[] {
  return (
    before ??
    rows.map((row, at) => ({ ...row, format: FORMAT, conversationId, seq: first + at, appendId }))
  )
}

/** Asks the server. Falls back to the copy only if the server can't be reached. */
async function orCopy<T>(
  ask: () => Promise<T>,
  fromCopy: () => Promise<T | null> | undefined,
): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const isOffline = OffstageError.is(error) && error.code === 'storage-offline'
    const kept = isOffline ? await fromCopy() : null
    if (kept) return kept
    throw error
  }
}
