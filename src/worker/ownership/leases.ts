import type { Effects } from '../effects.ts'
import { answerHandovers, requestHandover } from './handover.ts'
import { Lease } from './lease.ts'
import type { LeaseMessages } from './lease-messages.ts'
import { Liveness } from './liveness.ts'
import type { Locks } from './locks.ts'
import { MessageLocks } from './message-locks.ts'
import { Heirs, type Succession } from './succession.ts'
import type { TabChannel } from './tab-channel.ts'

/**
 * Who drives a conversation: one lease each, held only while effects are under way. It keeps tabs from
 * getting in each other's way, and decides who goes on with a run that lost its tab. What makes it safe is
 * the epoch in the store: an append of anybody else is refused.
 */
export interface Leases {
  /**
   * True once this worker holds the lease. False when a living holder elsewhere says that it does. One
   * that stays silent for 10 s (a frozen tab) is taken over from.
   */
  acquire(conversationId: string): Promise<boolean>
  /** Harmless when it isn't held. */
  release(conversationId: string): void
  /** False once it was released, or taken over by another worker. */
  holds(conversationId: string): boolean
  /** The epoch that the store gave under the lease: where two hold one, the lease follows the fence. */
  setEpoch(conversationId: string, epoch: number): void
  /** A tab of this browser has claimed the conversation with this epoch. */
  noteClaim(conversationId: string, epoch: number): void
  /** The newest epoch that a tab of this browser has claimed, as far as known here; 0: none. */
  newestClaim(conversationId: string): number
  /**
   * Queues for the lease as an heir. Resolves once this worker holds it: its holder closed, crashed,
   * or was silent for 10 s, and the conversation needs somebody to go on. Rejects when the signal aborts.
   */
  awaitSuccession(conversationId: string, succession: Succession): Promise<void>
  /**
   * Asks a living holder for the lease. True once this worker holds it; false when the request is refused,
   * or not answered in time.
   */
  requestHandover(conversationId: string): Promise<boolean>
  /** Something was decided of a run that other tabs may hold parked: they look. */
  announce(conversationId: string): void
  /** The worker ends: releases everything, so that nobody has to wait until its silence says so. */
  close(): Promise<void>
}

export interface LeaseObserver {
  /** Holds what the lease is for, though it is released while that waits. Default: no. */
  isDriving?(conversationId: string): boolean
  /** Another worker has taken over. */
  onLost(conversationId: string): void
  /** Another worker announced that something was decided. */
  onAnnounced(conversationId: string): void
  /**
   * Another tab asks for the lease: resolves to true when what is driven here has stopped (the lease may be
   * released by then), to false when it is refused. Default: refused.
   */
  onHandoverRequested?(conversationId: string): boolean | Promise<boolean>
}

export interface LeasesOptions {
  /** Names the store. */
  readonly scope: string
  readonly channel: TabChannel<LeaseMessages>
  /** `locks` is undefined without Web Locks (plain HTTP on a LAN address): messages keep them then. */
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
      // Until the releases are posted.
      await effects.sleep(0)
      channel.close()
    },
  }
}
