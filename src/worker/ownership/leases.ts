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
  /** Releases everything when the worker ends, so that nobody has to wait until it counts as silent. */
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
