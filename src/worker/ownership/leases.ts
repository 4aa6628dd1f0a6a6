import type { Effects } from '../effects.ts'
import {
  ANSWER_MS,
  type HandoverAnswer,
  Heirs,
  Lease,
  type LeaseMessages,
  Liveness,
  type LockState,
  SILENCE_MS,
  type Succession,
} from './lease.ts'
import type { LockRequest, Locks } from './locks.ts'
import type { TabChannel } from './tab-channel.ts'
import { withStop } from '../stopping.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { Conversation } from '../conversation.ts'
import type { NewestClaim } from '../store/claims.ts'

/** Unanswered requests after which no living holder is assumed. */
const MAX_UNANSWERED = 3
/** Time for a holder to decide, once it has answered `pending`. Milliseconds. */
const ANSWER_LIMIT_MS = 15_000
/** The holder refuses if its own side hasn't decided by then. Milliseconds. */
const DECISION_MS = 10_000
/** A lock that is handed over is reserved this long for the requesting tab. Milliseconds. */
const TRANSFER_MS = 3000

interface HandoverDeps {
  readonly channel: TabChannel<LeaseMessages>
  readonly effects: Pick<Effects, 'sleep' | 'newId'>
}

/** Asks the holder for the lease. True once this worker holds it. */
async function requestHandover(lease: Lease, deps: HandoverDeps): Promise<boolean> {
  if (lease.isHeld) return true
  const answer = await askHolder(lease.conversationId, deps)
  // Steals the lock instead of queueing for it: other tabs in the queue didn't ask for the handover.
  return answer === 'granted' ? lease.steal() : false
}

async function askHolder(
  conversationId: string,
  { channel, effects }: HandoverDeps,
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
  // Repeats the request, since it or its answer may be lost.
  for (let asked = 0; isOpen() && asked < limit(); asked++) {
    await withStop([], async (wait) => {
      onAnswer = () => isOpen() || wait.abort()
      channel.post('handover-ask', { conversationId, requestId })
      await effects.sleep(ANSWER_MS, wait.signal)
    })
  }
  remove()
  return answer
}

interface Holder {
  isDriving(conversationId: string): boolean
  decide(conversationId: string): Promise<boolean>
}

/** Holder's side: decides on each request once, and reserves the lock for the tab that gets it. */
function answerHandovers(
  deps: HandoverDeps,
  leases: ReadonlyMap<string, Lease>,
  holder: Holder,
): void {
  const { channel, effects } = deps
  const answers = new Map<string, HandoverAnswer>()
  const post = (requestId: string, answer: HandoverAnswer): void =>
    channel.post('handover-answer', { requestId, answer })

  channel.on('handover-ask', async ({ conversationId, requestId }) => {
    const known = answers.get(requestId)
    if (known !== undefined) return post(requestId, known)
    const lease = leases.get(conversationId)
    const isHeld = lease?.isHeld === true
    if (!isHeld && !holder.isDriving(conversationId)) return
    if (isHeld && !lease.reserve()) return post(requestId, 'refused')
    const answer = (given: HandoverAnswer): void => {
      answers.set(requestId, given)
      post(requestId, given)
    }
    answer('pending')
    const isAgreed = await decided(conversationId, deps, holder)
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
  { effects, answer }: Pick<HandoverDeps, 'effects'> & { answer(given: HandoverAnswer): void },
): Promise<void> {
  if (isAgreed) lease.release()
  answer(lease.isReady ? 'granted' : 'refused')
  await withStop([], ({ signal }) =>
    Promise.race([lease.whenTaken(signal), effects.sleep(TRANSFER_MS, signal)]),
  )
  lease.endReservation()
}

async function decided(
  conversationId: string,
  { effects }: HandoverDeps,
  { decide }: Holder,
): Promise<boolean> {
  return withStop([], ({ signal }) =>
    Promise.race([
      decide(conversationId).catch(() => false),
      effects.sleep(DECISION_MS, signal).then(() => false),
    ]),
  )
}

interface Ranked {
  readonly id: string
  /** Higher than the tickets of all requests known when this one was made. */
  readonly ticket: number
}

/** Whether the request was made first. Simultaneous requests are ordered by their ids. */
function precedes(one: Ranked, other: Ranked): boolean {
  return one.ticket === other.ticket ? one.id < other.id : one.ticket < other.ticket
}

/**
 * Whether `one` keeps a lock that both hold. The higher epoch wins, because the store refuses appends of the lower
 * one. Otherwise the higher term wins: it knew of the other holder and took over. Otherwise the ids decide, so
 * that both sides agree.
 */
function prevails(one: LockState, other: LockState): boolean {
  if (one.epoch !== null && other.epoch !== null && one.epoch !== other.epoch) {
    return one.epoch > other.epoch
  }
  return one.term === other.term ? one.id < other.id : one.term > other.term
}

/** Others have this long to object to a request. Milliseconds. */
const WINDOW_MS = 200
/** Pause between the repetitions of a request: any message may be lost. */
const REPEAT_MS = 1000
/** A request that wasn't repeated for this long is forgotten: its tab is gone, or frozen. */
const FORGET_MS = 3500
/** Pause between a holder's heartbeats. Milliseconds. */
const HEARTBEAT_MS = 2000

interface Waiting extends Ranked {
  ticket: number
  /** End of the time for objections. On the monotonic clock, as are all times here. */
  readyAt: number
  /** Time of the request's last post. */
  postedAt: number
  grant(): void
}

interface Claimed {
  readonly ticket: number
  readonly at: number
}

/** State of one lock, as far as known here. */
interface Known {
  readonly name: string
  /** The newest holder, here or elsewhere. */
  newest: (LockState & { readonly at: number }) | null
  /** Request that holds the lock here, until it is released. */
  held: { readonly id: string; lose(): void } | null
  term: number
  ticket: number
  readonly waiting: Waiting[]
  readonly others: Map<string, Claimed>
}

/**
 * Locks like the browser's, kept by messages where Web Locks are missing (plain HTTP). A request is posted, and granted
 * unless a holder or an older request objects within a while. Holders repeat that they hold a lock. If messages were
 * lost or late, two tabs may hold the same lock: they find out, and `prevails` decides which one loses it. A tab that
 * ends without a message is forgotten after a silence. Without a channel, every request is granted in turn.
 */
class MessageLocks implements Locks {
  readonly #channel: TabChannel<LeaseMessages>
  readonly #effects: Pick<Effects, 'sleep' | 'monotonic'>
  readonly #locks = new Map<string, Known>()
  readonly #openedAt: number
  #hasOthers = false
  #requests = 0

  constructor(channel: TabChannel<LeaseMessages>, effects: Pick<Effects, 'sleep' | 'monotonic'>) {
    this.#channel = channel
    this.#effects = effects
    this.#openedAt = effects.monotonic()
    channel.on('lock-hello', ({ isAnswer }) => {
      this.#hasOthers = true
      if (!isAnswer) channel.post('lock-hello', { isAnswer: true })
    })
    channel.on('lock-request', (request) => this.#onRequest(request))
    channel.on('lock-withdrawn', ({ name, id }) => {
      const known = this.#known(name)
      known.others.delete(id)
      this.#grantNext(known)
    })
    channel.on('lock-state', (state) => this.#onState(state))
    channel.post('lock-hello', { isAnswer: false })
  }

  request(name: string, options: LockRequest, granted: () => Promise<void>): Promise<void> {
    const known = this.#known(name)
    const id = `${this.#channel.tabId}:${++this.#requests}`
    return new Promise((resolve, reject) => {
      const abort = (why: string): void => reject(new DOMException(why, 'AbortError'))
      const grant = (): void => {
        const held = { id, lose: () => abort('The lock was taken over.') }
        void this.#hold(known, held, granted).then(resolve)
      }
      if ('steal' in options) return grant()
      if (options.signal.aborted) return abort('Not any more.')
      const postedAt = this.#effects.monotonic()
      const readyAt = this.#readyAt(postedAt)
      const waiting = { id, ticket: ++known.ticket, readyAt, postedAt, grant }
      known.waiting.push(waiting)
      options.signal.addEventListener('abort', () => {
        if (!remove(known.waiting, waiting)) return
        this.#channel.post('lock-withdrawn', { name, id })
        abort('Not any more.')
      })
      void this.#repeat(known, waiting)
    })
  }

  /** Sets the epoch that was claimed under the lock held here. */
  setEpoch(name: string, epoch: number): void {
    const known = this.#known(name)
    if (known.held === null || known.newest === null) return
    known.newest = { ...known.newest, epoch }
    this.#report(known)
  }

  /**
   * Returns the time until which other tabs may object to a request. A tab that has been alone for a while doesn't
   * wait.
   */
  #readyAt(now: number): number {
    if (!this.#channel.isOpen) return now
    return (this.#hasOthers ? now : this.#openedAt) + WINDOW_MS
  }

  async #repeat(known: Known, waiting: Waiting): Promise<void> {
    while (known.waiting.includes(waiting)) {
      const now = this.#effects.monotonic()
      // The tab was frozen, or the machine slept: messages from that time might not have been read yet.
      if (hasSlept(waiting, now)) waiting.readyAt = now + WINDOW_MS
      waiting.postedAt = now
      this.#post(known, waiting)
      this.#grantNext(known)
      if (!known.waiting.includes(waiting)) return
      await this.#effects.sleep(waiting.readyAt > now ? waiting.readyAt - now : REPEAT_MS)
    }
  }

  async #hold(
    known: Known,
    held: { readonly id: string; lose(): void },
    granted: () => Promise<void>,
  ): Promise<void> {
    const stop = new AbortController()
    const lose = (): void => {
      known.held = null
      stop.abort()
      held.lose()
    }
    known.held?.lose()
    known.held = { id: held.id, lose }
    known.term++
    const { name, term } = known
    this.#setNewest(known, { name, id: held.id, term, epoch: null, isHeld: true })
    if (this.#channel.isOpen) void this.#beat(known, stop.signal)
    await granted()
    stop.abort()
    if (known.held?.id !== held.id) return
    known.held = null
    if (known.newest) this.#setNewest(known, { ...known.newest, isHeld: false })
    this.#report(known)
    this.#grantNext(known)
  }

  async #beat(known: Known, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#report(known)
      await this.#effects.sleep(HEARTBEAT_MS, signal)
    }
  }

  #onRequest({ name, id, ticket, isOld }: LeaseMessages['lock-request']): void {
    this.#hasOthers = true
    const known = this.#known(name)
    // A request that was granted before this message arrived no longer waits.
    if (known.newest?.id !== id) known.others.set(id, { ticket, at: this.#effects.monotonic() })
    known.ticket = Math.max(known.ticket, ticket)
    this.#report(known)
    const [first] = known.waiting
    if (first === undefined) return
    const isLater = !isOld && this.#isOld(first)
    if (isOld && !this.#isOld(first) && first.ticket <= ticket) {
      for (const waiting of known.waiting) waiting.ticket = ++known.ticket
      this.#post(known, first)
      // A tab that has just opened doesn't know of earlier requests.
    } else if (isLater || precedes(first, { id, ticket })) this.#post(known, first)
  }

  #post({ name }: Known, waiting: Waiting): void {
    const { id, ticket } = waiting
    this.#channel.post('lock-request', { name, id, ticket, isOld: this.#isOld(waiting) })
  }

  #isOld({ readyAt }: Waiting): boolean {
    return this.#effects.monotonic() >= readyAt
  }

  #onState(state: LockState): void {
    this.#hasOthers = true
    const known = this.#known(state.name)
    const { newest, held } = known
    known.others.delete(state.id)
    known.term = Math.max(known.term, state.term)
    if (newest === null || newest.id === state.id || prevails(state, newest)) {
      // A release is a holder's last message. Ignores older ones that come late.
      if (newest?.id !== state.id || newest.isHeld) this.#setNewest(known, state)
      if (held !== null && held.id !== state.id) held.lose()
    } else if (this.#isMine(newest)) {
      this.#report(known)
    } else if (state.isHeld && !this.#isInUse(newest)) {
      // The sender never knew of the former holder.
      this.#setNewest(known, state)
    }
    this.#grantNext(known)
  }

  /** Posts the state of a lock that was last held here: held or free. */
  #report({ newest }: Known): void {
    if (newest === null || !this.#isMine(newest)) return
    const { at: _at, ...state } = newest
    this.#channel.post('lock-state', state)
  }

  #grantNext(known: Known): void {
    const now = this.#effects.monotonic()
    const [first] = known.waiting
    if (first === undefined || known.held !== null) return
    if (now < first.readyAt || hasSlept(first, now)) return
    if (known.newest !== null && this.#isInUse(known.newest)) return
    for (const [id, { ticket, at }] of known.others) {
      if (now - at > FORGET_MS) known.others.delete(id)
      else if (precedes({ id, ticket }, first)) return
    }
    known.waiting.shift()
    first.grant()
  }

  #isInUse({ isHeld, at }: LockState & { readonly at: number }): boolean {
    return isHeld && this.#effects.monotonic() - at < SILENCE_MS
  }

  #setNewest(known: Known, state: LockState): void {
    known.term = Math.max(known.term, state.term)
    known.newest = { ...state, at: this.#effects.monotonic() }
  }

  #isMine({ id }: LockState): boolean {
    return id.startsWith(`${this.#channel.tabId}:`)
  }

  #known(name: string): Known {
    const known = this.#locks.get(name)
    if (known) return known
    const others = new Map<string, Claimed>()
    const made = { name, newest: null, held: null, term: 0, ticket: 0, waiting: [], others }
    this.#locks.set(name, made)
    return made
  }
}

function hasSlept({ postedAt }: Waiting, now: number): boolean {
  return now - postedAt > 2 * REPEAT_MS
}

function remove<T>(list: T[], item: T): boolean {
  const at = list.indexOf(item)
  if (at >= 0) list.splice(at, 1)
  return at >= 0
}

/**
 * Leases decide which tab drives a conversation. A lease is held only while effects are under way. It keeps tabs out of
 * each other's way, and decides who resumes a run that lost its tab. Safety comes from the epoch in the store: appends
 * by anybody but the owner are rejected.
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
  /** Sets the epoch that the store gave under the lease. If two tabs hold the lease, the newer epoch keeps it. */
  setEpoch(conversationId: string, epoch: number): void
  /** Notes that a tab of this browser has claimed the conversation with this epoch. */
  noteClaim(conversationId: string, epoch: number): void
  /** Newest epoch that a tab of this browser has claimed, as far as known here. 0: none. */
  newestClaim(conversationId: string): number
  /**
   * Queues for the lease as an heir. Resolves once this worker holds it. The former holder has closed, crashed, or was
   * silent for 10 s, and the run needs a driver. Rejects when the signal aborts.
   */
  awaitSuccession(conversationId: string, succession: Succession): Promise<void>
  /**
   * Asks a living holder for the lease. True once this worker holds it; false when the request is refused,
   * or not answered in time.
   */
  requestHandover(conversationId: string): Promise<boolean>
  /** Announces a decision on a run that other tabs may hold paused. They check the store. */
  announce(conversationId: string): void
  /** Releases everything when the worker ends, so that nobody has to wait until its silence is noticed. */
  close(): Promise<void>
}

export interface LeaseObserver {
  /** Whether this worker drives the run, even one that waits without a lease. Default: false. */
  isDriving?(conversationId: string): boolean
  /** Called when another worker has taken the lease. */
  onLost(conversationId: string): void
  /** Called when another worker announced a decision. */
  onAnnounced(conversationId: string): void
  /**
   * Called when another tab asks for the lease. Resolves to true once the run here has stopped; the lease may be
   * released by then. Resolves to false to refuse. Default: refuses.
   */
  onHandoverRequested?(conversationId: string): boolean | Promise<boolean>
}

export interface LeasesOptions {
  /** Names the store. */
  readonly scope: string
  readonly channel: TabChannel<LeaseMessages>
  /** `locks` is undefined without Web Locks (plain HTTP on a LAN address). Messages replace them then. */
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
  answerHandovers(deps, leases, {
    isDriving: (conversationId) => observer.isDriving?.(conversationId) ?? false,
    decide: async (conversationId) =>
      (await observer.onHandoverRequested?.(conversationId)) ?? false,
  })
  channel.on('lease-decided', ({ conversationId }) => observer.onAnnounced(conversationId))
  const leaseOf = (conversationId: string): Lease => {
    const known = leases.get(conversationId)
    if (known) return known
    const lease = new Lease(conversationId, deps, (lost) => observer.onLost(lost))
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

/** Whether another device has claimed the conversation since this browser's tabs did. */
export async function isClaimedElsewhere(
  { conversationId, claims }: Pick<Conversation, 'conversationId' | 'claims'>,
  leases: Leases,
  claimed?: NewestClaim,
): Promise<boolean> {
  if (!claims.isShared) return false
  const newest = claimed ?? (await claims.newest())
  return !(await claims.isOwn(newest, leases.newestClaim(conversationId)))
}
