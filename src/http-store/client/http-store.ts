import { type CustomStorage, storageKey } from '../../protocol/conversation.ts'
import type { OffstageError } from '../../protocol/error.ts'
import { FORMAT, type Row } from '../../protocol/fact.ts'
import {
  type Append,
  ChangeEmitter,
  type Store,
  type StoreChange,
} from '../../worker/store/store.ts'
import type { StoreDefinition } from '../../worker/store/stores.ts'
import { refuseUnsound } from '../../worker/store/check-row.ts'
import { type Appended, EVENT_STREAM, HEARTBEAT_MS } from '../wire.ts'
import { LocalCopy } from './copy.ts'
import { type Fetch, ServerConnection } from './connection.ts'
import {
  type ShapeCheck,
  isText,
  isIntegerFrom,
  nullOr,
  optional,
  parseOrNull,
  shape,
} from '../../lib/shape.ts'
import { type Locks, requestLock } from '../../worker/ownership/locks.ts'
import {
  createTabChannel,
  openTabPort,
  type TabChannel,
} from '../../worker/ownership/tab-channel.ts'
import type { PageVisibility } from '../../worker/store/stores.ts'
import { sleepUnlessAborted } from '../../lib/sleep.ts'

/** Delay between attempts to connect. Doubles after each attempt, and has a random part. Milliseconds. */
const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 15_000
/** A stream that is silent for longer than this is dead. Milliseconds. */
const SILENT_MS = 3 * HEARTBEAT_MS
/** Maximum length of a valid event. Characters. */
const LONGEST_EVENT = 10_000

const isChange: ShapeCheck = shape({
  conversationId: nullOr(isText),
  lastSeq: isIntegerFrom(0),
  epoch: optional(isIntegerFrom(0)),
})

interface StreamEvent {
  readonly change: StoreChange | null
  /** Id from which another stream can resume. Null in the middle of a batch of changes. */
  readonly id: string | null
}

interface StreamFollowing {
  /** Id of the newest event received. */
  lastEventId(): string
  onEvent(event: StreamEvent): void
  readonly signal: AbortSignal
}

/** Keeps a stream of the store's changes open until the signal aborts. Resumes a stream that broke off. */
async function followStream(
  connection: ServerConnection,
  { lastEventId, onEvent, signal }: StreamFollowing,
): Promise<void> {
  let tries = 0
  const handleEvent = (event: string): void => {
    tries = 0
    onEvent(parseEvent(event))
  }
  while (!signal.aborted) {
    const options = { lastEventId: lastEventId(), onEvent: handleEvent, signal }
    await readStream(connection, options).catch(() => undefined)
    await pause(tries++, signal)
  }
}

/** Waits before the next try to connect. */
function pause(tries: number, signal: AbortSignal): Promise<void> {
  const maxDelay = Math.min(FIRST_DELAY_MS * 2 ** tries, LONGEST_DELAY_MS)
  return waitUntilOnline(maxDelay * (0.5 + Math.random() / 2), signal)
}

/** Reads a stream until it ends, breaks off or falls silent. */
async function readStream(
  connection: ServerConnection,
  {
    lastEventId,
    onEvent,
    signal,
  }: { lastEventId: string; onEvent: (event: string) => void; signal: AbortSignal },
): Promise<void> {
  const silence = new AbortController()
  const startTimer = (): ReturnType<typeof setTimeout> =>
    setTimeout(() => silence.abort(), SILENT_MS)
  let timer = startTimer()
  try {
    const { body } = await connection.send({
      headers: {
        accept: EVENT_STREAM,
        ...(lastEventId !== '' && { 'last-event-id': lastEventId }),
      },
      unwanted: signal,
      signal: AbortSignal.any([signal, silence.signal]),
    })
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (;;) {
      const next = await reader?.read()
      clearTimeout(timer)
      if (!next || next.done) return
      timer = startTimer()
      const events = (text + next.value).split('\n\n')
      text = (events.pop() ?? '').slice(-LONGEST_EVENT)
      events.forEach(onEvent)
    }
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}

function parseEvent(event: string): StreamEvent {
  const [, data] = /^data: (.*)$/m.exec(event) ?? []
  const change: unknown = parseOrNull(data)
  const [, id = null] = /^id: (.*)$/m.exec(event) ?? []
  return { change: isChange(change) ? (change as StoreChange) : null, id }
}

/** Waits for a time, or until the browser reports that it is online. */
function waitUntilOnline(ms: number, signal: AbortSignal): Promise<void> {
  const wakeController = new AbortController()
  const wake = (): void => wakeController.abort()
  globalThis.addEventListener?.('online', wake, { signal: wakeController.signal })
  return sleepUnlessAborted(ms, AbortSignal.any([signal, wakeController.signal])).finally(wake)
}

/** Options of `httpStore`. Only `url` is required. */
export interface HttpStoreOptions {
  /** URL of the server's handler, on the page's own server or one that allows the page's origin. */
  readonly url: string
  /** Name under which pages choose the store: `storage: { type }`. Default `'http'`. */
  readonly type?: string
  /** Headers of each request, such as a token. Called for each request with the page's `storage`. Default: none. */
  readonly headers?: (storage: CustomStorage) => HeadersInit | Promise<HeadersInit>
  /** Function that sends requests. Default: the worker's `fetch`, which sends the cookies of the page's origin. */
  readonly fetch?: Fetch
  /** Whether this browser keeps a copy for reading while the server can't be reached. Default true. */
  readonly copy?: boolean
  /** Maximum time for an answer. Default 60 000. Milliseconds. */
  readonly timeoutMs?: number
}

/** A store on your own server, where `createStoreHandler` answers. Pass it to `startWorker({ stores })`. */
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
  const changes = new ChangeEmitter()
  const name = `${url} ${storageKey(storage)}`
  const hasCopy = options.copy !== false && globalThis.indexedDB !== undefined
  const copy = hasCopy ? new LocalCopy(name) : null
  let pendingReport: Promise<void> | null = null
  const reportReturn = (): void => {
    pendingReport ??= sleepUnlessAborted(TOGETHER_MS, closed.signal).then(() => {
      pendingReport = null
      changes.report({ conversationId: null, lastSeq: 0 })
    })
  }
  const connection = new ServerConnection({
    url,
    headers: () => headers?.(storage) ?? {},
    fetch: options.fetch ?? ((...args) => fetch(...args)),
    timeoutMs,
    report,
    onBack: reportReturn,
    onStore: (storeId) => void copy?.bindTo(storeId),
    closed: closed.signal,
  })
  changes.follow(({ conversationId, lastSeq }) => {
    if (lastSeq === 0) void copy?.forget((id) => id === conversationId)
  })
  const follow = (): void =>
    void followChanges({ line: connection, name, visibility, changes, signal: closed.signal })
  return createStore(connection, { copy, changes, closed, follow })
}

/**
 * Recoveries of the server within this time are reported as one, because each report makes pages read all conversations
 * on view.
 */
const TOGETHER_MS = 1000

interface StoreParts {
  readonly copy: LocalCopy | null
  readonly changes: ChangeEmitter
  readonly closed: AbortController
  /** Starts following the server. Called once, when this store is first followed. */
  readonly follow: () => void
}

function createStore(
  connection: ServerConnection,
  { copy, changes, closed, follow }: StoreParts,
): Store {
  let isFollowed = false
  return {
    claim: (conversationId, at, claim) =>
      connection.callServer('claim', { conversationId, at, ...claim }),
    append: async ({ strict: _always, ...append }) => {
      append.rows.forEach(refuseUnsound)
      const appended = await connection.callServer('append', append)
      const rows = rowsOf(append, appended)
      if (appended.record) void copy?.keep([appended.record], rows)
      return rows
    },
    // Drafts are not stored: a step's text goes to the server once it is complete.
    keepDraft: async () => undefined,
    draftOf: async () => undefined,
    place: (placement) => connection.callServer('place', placement),
    read: (conversationId, range = {}) =>
      withCopyFallback(
        connection.callServer('read', { conversationId, ...range }).then((stored) => {
          const { record, rows } = stored
          void (record ? copy?.keep([record], rows) : copy?.forget((id) => id === conversationId))
          return stored
        }),
        () => copy?.read(conversationId, range),
      ),
    get: (conversationId) => connection.callServer('get', { conversationId }),
    list: (page) =>
      withCopyFallback(
        connection.callServer('list', { ...page }).then((listed) => {
          const { records, next } = listed
          void copy?.keep(records)
          // Conversations that a complete list lacks were deleted, perhaps while this browser was closed.
          if (!page?.after && !next)
            void copy?.forget((id) => !records.some((each) => each.conversationId === id))
          return listed
        }),
        () => copy?.list(page),
      ),
    rename: (conversationId, name) => connection.callServer('rename', { conversationId, ...name }),
    mark: async (conversationId, broken) =>
      void (await connection.callServer('mark', { conversationId, broken })),
    descendants: (conversationId) => connection.callServer('descendants', { conversationId }),
    delete: (conversationId) =>
      connection.callServer('delete', { conversationId }).then((isDeleted) => {
        void copy?.forget((id) => id === conversationId)
        return isDeleted
      }),
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

/** The written rows: the sent rows with the server's numbers, or the rows stored by an earlier attempt. */
function rowsOf(
  { conversationId, appendId, rows }: Append,
  { first, rows: existing }: Appended,
): readonly Row[] {
  return (
    existing ??
    rows.map((row, at) => ({ ...row, format: FORMAT, conversationId, seq: first + at, appendId }))
  )
}

/** Asks the server. Falls back to the copy only if the server can't be reached. */
function withCopyFallback<T>(
  answer: Promise<T>,
  fromCopy: () => Promise<T | null | undefined> | undefined,
): Promise<T> {
  return answer.catch(async (error: OffstageError) => {
    const copied = error.code === 'storage-offline' && (await fromCopy())
    if (copied) return copied
    throw error
  })
}

interface Following {
  readonly line: ServerConnection
  /** Identifies the store: the server's address and the page's `storage` option. */
  readonly name: string
  readonly visibility: PageVisibility
  /** Changes from the server and from this tab. The leading tab relays them to the others. */
  readonly changes: ChangeEmitter
  readonly signal: AbortSignal
}

/** Messages between tabs with the same store and the same user. */
interface StreamMessages {
  /** Asks the leader for its newest event. */
  ask: null
  said: {
    /** Null if nothing has changed. */
    readonly change: StoreChange | null
    /** Empty before the first event. */
    readonly id: string
    readonly isHidden: boolean
  }
}

const SHAPES = { ask: () => true, said: shape({ change: nullOr(isChange), id: isText }) }

/** Unanswered `ask` messages, one per heartbeat, after which another tab replaces the leader. */
const MOST_UNANSWERED = 2

/**
 * Follows the store's changes until the signal aborts. On HTTP/1.1 a browser opens at most six connections to a server,
 * shared by all tabs. Therefore one tab is the leader: it keeps the stream open, and relays changes to the other tabs.
 */
async function followChanges({
  line: connection,
  name,
  signal,
  ...more
}: Following): Promise<void> {
  for (let tries = 0; !signal.aborted; tries++) {
    const user = await connection.user().catch(() => null)
    if (user === null) await pause(tries, signal)
    else {
      const userSignal = AbortSignal.any([signal, user.replaced.signal])
      await followTogether({
        ...more,
        line: connection,
        name: `changes:${name} ${user.storeId}`,
        signal: userSignal,
      })
      tries = 0
    }
  }
}

/** Follows changes together with the other tabs, until the signal aborts or another user logs in. */
async function followTogether(following: Following): Promise<void> {
  const { line: connection, name, visibility, changes, signal } = following
  const channel = openChannel(name)
  const locks = channel.isOpen ? globalThis.navigator?.locks : undefined
  /** Aborting it makes this tab the leader. Without Web Locks, aborting it also stops this tab from leading. */
  let attempt = new AbortController()
  let isLeading = false
  let lastEventId = ''
  let unanswered = 0
  const relay = (change: StoreChange | null): void => {
    const isHidden = !visibility.isVisible
    if (isLeading) channel.post('said', { change, id: lastEventId, isHidden })
  }
  const checkLeader = (): void => {
    if (isLeading) relay(null)
    else if (++unanswered > MOST_UNANSWERED) attempt.abort()
    else channel.post('ask', null)
  }
  channel.on('ask', () => relay(null))
  channel.on('said', ({ change, id, isHidden }) => {
    if (isLeading) return
    unanswered = 0
    if (isHidden && visibility.isVisible) attempt.abort()
    // Changes from before this tab listened may have been missed.
    if (lastEventId === '' && id !== '') changes.report({ conversationId: null, lastSeq: 0 })
    lastEventId = id
    if (!change) return
    connection.noteReached()
    changes.report(change)
  })
  const stopRelaying = changes.follow(relay)
  const lead = async (stopSignal: AbortSignal): Promise<void> => {
    isLeading = true
    relay(null)
    await followStream(connection, {
      lastEventId: () => lastEventId,
      onEvent: ({ change, id }) => {
        // Another user may have logged in between two connections.
        if (id !== null) connection.noteUser(id.slice(0, id.lastIndexOf('.')))
        if (signal.aborted) return
        lastEventId = id ?? lastEventId
        if (change) changes.report(change)
      },
      signal: AbortSignal.any([signal, stopSignal]),
    })
    isLeading = false
  }
  visibility.addEventListener('change', checkLeader, { signal })
  if (!locks) visibility.addEventListener('change', () => attempt.abort(), { signal })
  const heartbeatTimer = setInterval(checkLeader, HEARTBEAT_MS)
  while (!signal.aborted) {
    attempt = new AbortController()
    unanswered = 0
    checkLeader()
    const leadSignal = AbortSignal.any([signal, attempt.signal])
    if (locks) await leadUnderLock(lead, { locks, name, signal: leadSignal, steal: attempt.signal })
    // If there are no locks, a hidden tab only listens. A tab without a channel can't listen, so it leads.
    else if (visibility.isVisible || !channel.isOpen) await lead(leadSignal)
    else await pause(MOST_UNANSWERED, leadSignal)
  }
  clearInterval(heartbeatTimer)
  stopRelaying()
  channel.close()
}

function openChannel(scope: string): TabChannel<StreamMessages> {
  return createTabChannel<StreamMessages>({
    scope,
    tabId: '',
    openPort: openTabPort,
    shapes: SHAPES,
  })
}

interface LockTurn {
  readonly locks: Locks
  readonly name: string
  readonly signal: AbortSignal
  /** When aborted, this tab steals the lock from its holder. */
  readonly steal: AbortSignal
}

async function leadUnderLock(
  lead: (lost: AbortSignal) => Promise<void>,
  { locks, name, signal, steal }: LockTurn,
): Promise<void> {
  const lockName = `offstage:${name}`
  const granted = await requestLock(locks, lockName, { signal })
  const lock =
    granted ?? (steal.aborted ? await requestLock(locks, lockName, { steal: true }) : null)
  // Tries again: browsers abort lock requests of a page in the back/forward cache.
  if (lock === null) return pause(0, signal)
  const lost = new AbortController()
  lock.onLost = () => lost.abort()
  if (!lock.isLost) await lead(lost.signal)
  lock.release()
}
