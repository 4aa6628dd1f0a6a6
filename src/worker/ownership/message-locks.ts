import type { Effects } from '../effects.ts'
import type { LeaseMessages, LockState } from './lease-messages.ts'
import { SILENCE_MS } from './liveness.ts'
import type { LockRequest, Locks } from './locks.ts'
import { precedes, prevails, type Ranked } from './lock-order.ts'
import type { TabChannel } from './tab-channel.ts'

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
export class MessageLocks implements Locks {
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

  /** When the time for objections to a request ends. A tab that has been alone for a while doesn't wait. */
  #readyAt(now: number): number {
    if (!this.#channel.isOpen) return now
    return (this.#hasOthers ? now : this.#openedAt) + WINDOW_MS
  }

  async #repeat(known: Known, waiting: Waiting): Promise<void> {
    while (known.waiting.includes(waiting)) {
      const now = this.#effects.monotonic()
      // The tab was frozen, or the machine slept: messages from that time may not be read yet.
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
