import type { Effects } from '../effects.ts'
import {
  ANSWER_MS,
  type HandoverAnswer,
  Heirs,
  Lease,
  type LeaseDeps,
  type LeaseMessages,
  Liveness,
  type LockState,
  SILENCE_MS,
  type Succession,
} from './lease.ts'
import type { LockRequest, Locks } from './locks.ts'
import type { TabChannel } from './tab-channel.ts'
import { resultWithin, withStop } from '../stopping.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { Conversation } from '../conversation.ts'
import type { NewestClaim } from '../store/claims.ts'

/** Unanswered requests after which the lease counts as having no living holder. */
const MAX_UNANSWERED = 3
/** Time for a holder to decide, once it has answered `pending`. Milliseconds. */
const ANSWER_LIMIT_MS = 15_000
/** Time for the holder to decide, before it refuses. Milliseconds. */
const DECISION_MS = 10_000
/** A lock that is handed over is reserved this long for the requesting tab. Milliseconds. */
const TRANSFER_MS = 3000

/** Asks the holder for the lease. True once this worker holds it. */
async function requestHandover(lease: Lease, deps: LeaseDeps): Promise<boolean> {
  if (lease.isHeld) return true
  const answer = await askHolder(lease.conversationId, deps)
  // Steals the lock instead of queueing for it, where other tabs may be first.
  return answer === 'granted' ? lease.steal() : false
}

async function askHolder(
  conversationId: string,
  { channel, effects }: LeaseDeps,
): Promise<HandoverAnswer | null> {
  const requestId = effects.newId('handover-')
  let answer: HandoverAnswer | null = null
  let onAnswer = (): void => undefined
  const remove = channel.on('handover-answer', (message) => {
    if (message.requestId !== requestId) return
    answer = message.answer
    onAnswer()
  })
  const isOpen = (): boolean => answer === null || answer === 'pending'
  const limit = (): number => (answer === null ? MAX_UNANSWERED : ANSWER_LIMIT_MS / ANSWER_MS)
  // Repeats the request, since any message may be lost.
  for (let tries = 0; isOpen() && tries < limit(); tries++) {
    await withStop([], async (wait) => {
      onAnswer = () => isOpen() || wait.abort()
      channel.post('handover-ask', { conversationId, requestId })
      await effects.sleep(ANSWER_MS, wait.signal)
    })
  }
  remove()
  return answer
}

/** Answers requests as the holder: decides on each request once, and reserves the lock for the requesting tab. */
function answerHandovers(
  deps: LeaseDeps,
  leases: ReadonlyMap<string, Lease>,
  observer: LeaseObserver,
): void {
  const { channel, effects } = deps
  const answers = new Map<string, HandoverAnswer>()
  const post = (requestId: string, answer: HandoverAnswer): void =>
    channel.post('handover-answer', { requestId, answer })

  channel.on('handover-ask', async ({ conversationId, requestId }) => {
    const previous = answers.get(requestId)
    if (previous !== undefined) return post(requestId, previous)
    const lease = leases.get(conversationId)
    const isHeld = lease?.isHeld === true
    if (!isHeld && !observer.isDriving(conversationId)) return
    if (isHeld && !lease.reserve()) return post(requestId, 'refused')
    const answer = (result: HandoverAnswer): void => {
      answers.set(requestId, result)
      post(requestId, result)
    }
    answer('pending')
    const decision = observer.onHandoverRequested(conversationId).catch(() => false)
    const isAgreed = (await resultWithin(DECISION_MS, decision, effects)) ?? false
    if (isHeld) await transfer(lease, isAgreed, { effects, answer })
    // A waiting run holds no lease, so nothing has to be reserved for the other tab.
    else answer(isAgreed ? 'granted' : 'refused')
    // Nobody repeats the request after this time.
    await effects.sleep(ANSWER_LIMIT_MS)
    answers.delete(requestId)
  })
}

async function transfer(
  lease: Lease,
  isAgreed: boolean,
  { effects, answer }: Pick<LeaseDeps, 'effects'> & { answer(result: HandoverAnswer): void },
): Promise<void> {
  if (isAgreed) lease.release()
  answer(lease.isReady ? 'granted' : 'refused')
  await withStop([], ({ signal }) =>
    Promise.race([lease.whenTaken(signal), effects.sleep(TRANSFER_MS, signal)]),
  )
  lease.endReservation()
}

interface Ranked {
  readonly id: string
  /** Higher than the tickets of all requests known when this one was made. */
  readonly ticket: number
}

/** Whether request `a` was made before `b`. Simultaneous requests are ordered by their ids. */
function precedes(a: Ranked, b: Ranked): boolean {
  return a.ticket === b.ticket ? a.id < b.id : a.ticket < b.ticket
}

/**
 * Whether `a` keeps a lock that both hold. The higher epoch wins, because the store refuses appends of the lower one.
 * Without different epochs, the higher term wins: its holder knew of the other and took over. Equal terms are decided
 * by the ids, so that both sides agree.
 */
function prevails(a: LockState, b: LockState): boolean {
  if (a.epoch !== null && b.epoch !== null && a.epoch !== b.epoch) {
    return a.epoch > b.epoch
  }
  return a.term === b.term ? a.id < b.id : a.term > b.term
}

/** Others have this long to object to a request. Milliseconds. */
const OBJECTION_MS = 200
/** Pause between the repetitions of a request: any message may be lost. */
const REPEAT_MS = 1000
/** A request that wasn't repeated for this long is forgotten: its tab is gone, or frozen. */
const FORGET_MS = 3500
/** Pause between a holder's heartbeats. Milliseconds. */
const HEARTBEAT_MS = 2000

interface WaitingRequest extends Ranked {
  ticket: number
  /** End of the time for objections. All times here are on the monotonic clock. */
  readyAt: number
  /** Time of the request's last post. */
  postedAt: number
  grant(): void
}

interface RemoteRequest {
  readonly ticket: number
  readonly at: number
}

/** State of one lock, as far as known here. */
interface TrackedLock {
  readonly name: string
  /** The newest holder, here or elsewhere. */
  newest: (LockState & { readonly at: number }) | null
  /** Request that holds the lock here, until it is released. */
  held: { readonly id: string; lose(): void } | null
  term: number
  ticket: number
  readonly waiting: WaitingRequest[]
  readonly remote: Map<string, RemoteRequest>
}

/**
 * Locks like the browser's, made of messages where Web Locks are missing (plain HTTP). A request is posted, and granted
 * unless a holder or an older request objects in time. Holders repeat that they hold a lock. If messages were lost or
 * late, two tabs may hold the same lock: they find out, and `prevails` decides which one loses it. A tab that ends
 * without a message is forgotten after a silence. Without a channel, every request is granted in turn.
 */
class MessageLocks implements Locks {
  readonly #channel: TabChannel<LeaseMessages>
  readonly #effects: Pick<Effects, 'sleep' | 'monotonic'>
  readonly #locks = new Map<string, TrackedLock>()
  readonly #openedAt: number
  #hasOtherTabs = false
  #requestCount = 0

  constructor(channel: TabChannel<LeaseMessages>, effects: Pick<Effects, 'sleep' | 'monotonic'>) {
    this.#channel = channel
    this.#effects = effects
    this.#openedAt = effects.monotonic()
    channel.on('lock-hello', ({ isAnswer }) => {
      this.#hasOtherTabs = true
      if (!isAnswer) channel.post('lock-hello', { isAnswer: true })
    })
    channel.on('lock-request', (request) => this.#onRequest(request))
    channel.on('lock-withdrawn', ({ name, id }) => {
      const lock = this.#trackedLock(name)
      lock.remote.delete(id)
      this.#grantNext(lock)
    })
    channel.on('lock-state', (state) => this.#onState(state))
    channel.post('lock-hello', { isAnswer: false })
  }

  request(name: string, options: LockRequest, granted: () => Promise<void>): Promise<void> {
    const lock = this.#trackedLock(name)
    const id = `${this.#channel.tabId}:${++this.#requestCount}`
    return new Promise((resolve, reject) => {
      const abort = (reason: string): void => reject(new DOMException(reason, 'AbortError'))
      const grant = (): void => {
        const held = { id, lose: () => abort('The lock was taken over.') }
        void this.#hold(lock, held, granted).then(resolve)
      }
      if ('steal' in options) return grant()
      if (options.signal.aborted) return abort('Not any more.')
      const postedAt = this.#effects.monotonic()
      const readyAt = this.#readyAt(postedAt)
      const waiting = { id, ticket: ++lock.ticket, readyAt, postedAt, grant }
      lock.waiting.push(waiting)
      options.signal.addEventListener('abort', () => {
        if (!remove(lock.waiting, waiting)) return
        this.#channel.post('lock-withdrawn', { name, id })
        abort('Not any more.')
      })
      void this.#repeatRequest(lock, waiting)
    })
  }

  /** Sets the epoch that was claimed under the lock held here. */
  setEpoch(name: string, epoch: number): void {
    const lock = this.#trackedLock(name)
    if (lock.held === null || lock.newest === null) return
    lock.newest = { ...lock.newest, epoch }
    this.#postState(lock)
  }

  /**
   * Returns the time until which other tabs may object to a request. A tab that has been alone for a while doesn't
   * wait.
   */
  #readyAt(now: number): number {
    if (!this.#channel.isOpen) return now
    return (this.#hasOtherTabs ? now : this.#openedAt) + OBJECTION_MS
  }

  async #repeatRequest(lock: TrackedLock, request: WaitingRequest): Promise<void> {
    while (lock.waiting.includes(request)) {
      const now = this.#effects.monotonic()
      // The tab was frozen, or the machine slept: messages from that time might not have been read yet.
      if (hasSlept(request, now)) request.readyAt = now + OBJECTION_MS
      request.postedAt = now
      this.#postRequest(lock, request)
      this.#grantNext(lock)
      if (!lock.waiting.includes(request)) return
      await this.#effects.sleep(request.readyAt > now ? request.readyAt - now : REPEAT_MS)
    }
  }

  async #hold(
    lock: TrackedLock,
    holder: { readonly id: string; lose(): void },
    granted: () => Promise<void>,
  ): Promise<void> {
    const stop = new AbortController()
    const lose = (): void => {
      lock.held = null
      stop.abort()
      holder.lose()
    }
    lock.held?.lose()
    lock.held = { id: holder.id, lose }
    lock.term++
    const { name, term } = lock
    this.#setNewest(lock, { name, id: holder.id, term, epoch: null, isHeld: true })
    if (this.#channel.isOpen) void this.#sendHeartbeats(lock, stop.signal)
    await granted()
    stop.abort()
    if (lock.held?.id !== holder.id) return
    lock.held = null
    if (lock.newest) this.#setNewest(lock, { ...lock.newest, isHeld: false })
    this.#postState(lock)
    this.#grantNext(lock)
  }

  async #sendHeartbeats(lock: TrackedLock, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#postState(lock)
      await this.#effects.sleep(HEARTBEAT_MS, signal)
    }
  }

  #onRequest({ name, id, ticket, isOld }: LeaseMessages['lock-request']): void {
    this.#hasOtherTabs = true
    const lock = this.#trackedLock(name)
    // A request that was granted before this message arrived no longer waits.
    if (lock.newest?.id !== id) lock.remote.set(id, { ticket, at: this.#effects.monotonic() })
    lock.ticket = Math.max(lock.ticket, ticket)
    this.#postState(lock)
    const [first] = lock.waiting
    if (first === undefined) return
    const isLater = !isOld && this.#isOld(first)
    if (isOld && !this.#isOld(first) && first.ticket <= ticket) {
      for (const queued of lock.waiting) queued.ticket = ++lock.ticket
      this.#postRequest(lock, first)
      // A tab that has just opened doesn't know of earlier requests.
    } else if (isLater || precedes(first, { id, ticket })) this.#postRequest(lock, first)
  }

  #postRequest({ name }: TrackedLock, request: WaitingRequest): void {
    const { id, ticket } = request
    this.#channel.post('lock-request', { name, id, ticket, isOld: this.#isOld(request) })
  }

  #isOld({ readyAt }: WaitingRequest): boolean {
    return this.#effects.monotonic() >= readyAt
  }

  #onState(state: LockState): void {
    this.#hasOtherTabs = true
    const lock = this.#trackedLock(state.name)
    const { newest, held } = lock
    lock.remote.delete(state.id)
    lock.term = Math.max(lock.term, state.term)
    if (newest === null || newest.id === state.id || prevails(state, newest)) {
      // A release is a holder's last message, so earlier messages that arrive late are ignored.
      if (newest?.id !== state.id || newest.isHeld) this.#setNewest(lock, state)
      if (held !== null && held.id !== state.id) held.lose()
    } else if (this.#isMine(newest)) {
      this.#postState(lock)
    } else if (state.isHeld && !this.#isInUse(newest)) {
      // The sender never knew of the former holder.
      this.#setNewest(lock, state)
    }
    this.#grantNext(lock)
  }

  /** Posts the state of a lock that was last held here: held or free. */
  #postState({ newest }: TrackedLock): void {
    if (newest === null || !this.#isMine(newest)) return
    const { at: _at, ...state } = newest
    this.#channel.post('lock-state', state)
  }

  #grantNext(lock: TrackedLock): void {
    const now = this.#effects.monotonic()
    const [first] = lock.waiting
    if (first === undefined || lock.held !== null) return
    if (now < first.readyAt || hasSlept(first, now)) return
    if (lock.newest !== null && this.#isInUse(lock.newest)) return
    for (const [id, { ticket, at }] of lock.remote) {
      if (now - at > FORGET_MS) lock.remote.delete(id)
      else if (precedes({ id, ticket }, first)) return
    }
    lock.waiting.shift()
    first.grant()
  }

  #isInUse({ isHeld, at }: LockState & { readonly at: number }): boolean {
    return isHeld && this.#effects.monotonic() - at < SILENCE_MS
  }

  #setNewest(lock: TrackedLock, state: LockState): void {
    lock.term = Math.max(lock.term, state.term)
    lock.newest = { ...state, at: this.#effects.monotonic() }
  }

  #isMine({ id }: LockState): boolean {
    return id.startsWith(`${this.#channel.tabId}:`)
  }

  #trackedLock(name: string): TrackedLock {
    const lock = this.#locks.get(name)
    if (lock) return lock
    const remote = new Map<string, RemoteRequest>()
    const created = { name, newest: null, held: null, term: 0, ticket: 0, waiting: [], remote }
    this.#locks.set(name, created)
    return created
  }
}

function hasSlept({ postedAt }: WaitingRequest, now: number): boolean {
  return now - postedAt > 2 * REPEAT_MS
}

function remove<T>(list: T[], item: T): boolean {
  const index = list.indexOf(item)
  if (index >= 0) list.splice(index, 1)
  return index >= 0
}

/**
 * Leases decide which tab drives a conversation, and which tab resumes a run whose tab is gone. A run that waits holds
 * no lease. Safety doesn't depend on leases: by the epoch, the store rejects appends by anybody but the owner.
 */
export interface Leases {
  /**
   * True once this worker holds the lease. False if a living holder elsewhere answers. A holder that stays silent for
   * 10 s (a frozen tab) loses the lease.
   */
  acquire(conversationId: string): Promise<boolean>
  /** Does nothing if the lease isn't held. */
  release(conversationId: string): void
  /** False once the lease was released, or taken by another worker. */
  holds(conversationId: string): boolean
  /**
   * Sets the epoch that the store gave under the lease. If two tabs hold the lease, the tab with the newer epoch keeps
   * it.
   */
  setEpoch(conversationId: string, epoch: number): void
  /** Notes that a tab of this browser has claimed the conversation with this epoch. */
  noteClaim(conversationId: string, epoch: number): void
  /** Newest epoch that a tab of this browser has claimed, as far as known here. 0: none. */
  newestClaim(conversationId: string): number
  /**
   * Queues for the lease as an heir. Resolves once this worker holds it: the former holder is gone or was silent for 10
   * s, and the run needs a driver. Rejects when the signal aborts.
   */
  awaitSuccession(conversationId: string, succession: Succession): Promise<void>
  /**
   * Asks a living holder for the lease. True once this worker holds it; false when the request is refused,
   * or not answered in time.
   */
  requestHandover(conversationId: string): Promise<boolean>
  /** Announces a decision about a run that may be paused in other tabs, which then check the store. */
  announce(conversationId: string): void
  /** Releases all leases when the worker ends, so that no other tab has to wait until the silence is noticed. */
  close(): Promise<void>
}

export interface LeaseObserver {
  /** Whether this worker drives the run, even if the run waits without a lease. */
  isDriving(conversationId: string): boolean
  /** Called when another worker has taken the lease. */
  onLost(conversationId: string): void
  /** Called when another worker announced a decision. */
  onAnnounced(conversationId: string): void
  /**
   * Called when another tab asks for the lease. Resolves to true once the run here has stopped; the lease may be
   * released by then. Resolves to false to refuse.
   */
  onHandoverRequested(conversationId: string): Promise<boolean>
}

export interface LeasesOptions {
  /** Identifies the store. */
  readonly scope: string
  readonly channel: TabChannel<LeaseMessages>
  /** `locks` is undefined without Web Locks (plain HTTP on a LAN address): messages replace them. */
  readonly effects: Pick<Effects, 'locks' | 'sleep' | 'monotonic' | 'newId'>
  readonly observer: LeaseObserver
}

export function createLeases({ scope, channel, effects, observer }: LeasesOptions): Leases {
  const leases = new Map<string, Lease>()
  const claims = new Map<string, number>()
  const newestClaim = (conversationId: string): number => claims.get(conversationId) ?? 0
  const noteClaim = (conversationId: string, epoch: number): void => {
    if (epoch > newestClaim(conversationId)) claims.set(conversationId, epoch)
  }
  const isHeld = (conversationId: string): boolean => leases.get(conversationId)?.isHeld ?? false
  const locks: Locks = effects.locks ?? new MessageLocks(channel, effects)
  const liveness = new Liveness(channel, effects, ({ conversationId, role }) =>
    role === 'heir' ? heirs.isFirst(conversationId) : isHeld(conversationId),
  )
  const deps = { scope, locks, channel, liveness, effects }
  const heirs = new Heirs(deps)
  answerHandovers(deps, leases, observer)
  channel.on('lease-decided', ({ conversationId }) => observer.onAnnounced(conversationId))
  const leaseOf = (conversationId: string): Lease => {
    const existing = leases.get(conversationId)
    if (existing) return existing
    const lease = new Lease(conversationId, deps, (lostId) => observer.onLost(lostId))
    leases.set(conversationId, lease)
    return lease
  }

  return {
    acquire: (conversationId) => leaseOf(conversationId).acquire(),
    release: (conversationId) => leases.get(conversationId)?.release(),
    holds: isHeld,
    noteClaim,
    newestClaim,
    setEpoch: (conversationId, epoch) => {
      noteClaim(conversationId, epoch)
      const lease = leases.get(conversationId)
      if (lease?.isHeld) locks.setEpoch?.(lease.lockName, epoch)
    },
    awaitSuccession: (conversationId, succession) =>
      heirs.wait(leaseOf(conversationId), succession),
    requestHandover: (conversationId) => requestHandover(leaseOf(conversationId), deps),
    announce: (conversationId) => channel.post('lease-decided', { conversationId }),
    close: async () => {
      for (const lease of leases.values()) lease.release()
      // Waits until the releases are posted.
      await effects.sleep(0)
      channel.close()
    },
  }
}

export function otherOwnerError(conversationId: string, where = 'in another tab'): OffstageError {
  return new OffstageError(
    'conversation-busy',
    `Conversation ${conversationId} is being worked on ${where}.`,
    { retryable: true },
  )
}

export function otherDeviceError(conversationId: string): OffstageError {
  return otherOwnerError(conversationId, 'on another device')
}

/** Whether the error means that another owner works on the conversation or deleted it. */
export function isOtherOwnerError(thrown: unknown): boolean {
  return (
    OffstageError.is(thrown) &&
    (thrown.code === 'conversation-busy' ||
      thrown.code === 'conversation-not-found' ||
      thrown.code === 'ownership-lost')
  )
}

/** Whether another device has claimed the conversation after this browser's last claim. */
export async function isClaimedElsewhere(
  { conversationId, claims }: Pick<Conversation, 'conversationId' | 'claims'>,
  leases: Leases,
  claimed?: NewestClaim,
): Promise<boolean> {
  if (!claims.isShared) return false
  const newest = claimed ?? (await claims.newest())
  return !(await claims.isOwn(newest, leases.newestClaim(conversationId)))
}
