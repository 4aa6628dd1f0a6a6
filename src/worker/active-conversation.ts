import type { ConversationScope, RunRef } from '../protocol/scope.ts'
import { OffstageError } from '../protocol/error.ts'
import type { RunEnd } from '../protocol/fact.ts'
import type { RunState } from '../protocol/state.ts'
import { waitsForChild } from '../conversation/nested.ts'
import { busy } from './busy.ts'
import type { Conversation } from './conversation.ts'
import type { ClaimOptions, StoreChange } from './store/store.ts'
import { oneByOne, type OneByOne } from '../lib/one-by-one.ts'
import { elsewhere, isClaimedElsewhere, onOtherDevice } from './ownership/elsewhere.ts'
import type { NewestClaim } from './ownership/shared-claims.ts'
import type { Leases } from './ownership/leases.ts'
import { decide } from './run/decide.ts'
import type { RunDriver } from './run/run-driver.ts'
import { whenAborted } from '../lib/abort.ts'
import type { Tabs } from './tabs/tabs.ts'

/** A run that is asked for and not yet stored. */
export interface Admission {
  readonly agentId: string
  readonly runId: string
  /** Aborted when the run is not to begin. */
  readonly stop: AbortController
  /** Nothing else may begin: its first commit waits for the storage. */
  isParked: boolean
  /** Resolves when the run was begun, or is not to begin. */
  readonly isOver: Promise<void>
}

export interface ActiveConversationParts {
  readonly conversation: Conversation
  readonly leases: Leases
  readonly tabs: Tabs<ActiveConversation>
}

/** A conversation in use: its fold, the run that is driven, if any, and those that are to begin. */
export class ActiveConversation {
  readonly scope: ConversationScope
  readonly conversation: Conversation
  readonly ownership: Leases
  readonly tabs: Tabs<ActiveConversation>
  /** By run. */
  readonly admissions: Map<string, Admission> = new Map()
  #driver: RunDriver | null = null
  /** Who waits for one. */
  readonly #onDriven = new Set<() => void>()
  /** Who waits for a change. */
  readonly #onChange = new Set<() => void>()
  #driven: Promise<RunEnd | null> = Promise.resolve(null)
  /** Runs that are being ended, wherever they are driven: one that is taken up here meanwhile ends at once. */
  readonly #ending = new Map<string, RunEnd>()
  /** Takes commands on the conversation one after the other; none of them waits for a run or for room. */
  readonly inLane: OneByOne = oneByOne()

  constructor(scope: ConversationScope, { conversation, leases, tabs }: ActiveConversationParts) {
    const { agentId, storage, conversationId } = scope
    this.scope = { agentId, storage, conversationId }
    this.conversation = conversation
    this.ownership = leases
    this.tabs = tabs
  }

  /** Something is done in it, or it is shown. What is not can be read again. */
  get isInUse(): boolean {
    const { conversationId, stream, storageRetry } = this.conversation
    return (
      this.#driver !== null ||
      this.admissions.size > 0 ||
      stream.isJoined ||
      storageRetry.waitsFor !== null ||
      this.tabs.driverOf(conversationId) !== undefined ||
      this.ownership.holds(conversationId)
    )
  }

  get driver(): RunDriver | null {
    return this.#driver
  }

  /** The run whose first commit waits for the storage. */
  get parked(): Admission | null {
    return [...this.admissions.values()].find((admission) => admission.isParked) ?? null
  }

  /** Resolves when nothing is driven any more, or the signal aborts. */
  async idle(signal?: AbortSignal): Promise<void> {
    const aborted = signal && whenAborted(signal)
    while (this.#driver && !signal?.aborted) {
      await (aborted ? Promise.race([this.#driven, aborted]) : this.#driven)
    }
  }

  /** The same for what can't wait until there is room in the storage: `conversation-busy` then. */
  async inLaneNow<T>(work: () => Promise<T>): Promise<T> {
    if (this.parked) throw busy(this.scope.conversationId)
    return this.inLane(work)
  }

  /**
   * Becomes the conversation's owner. Throws `conversation-busy` when another tab is, or another device works on a run
   * other than those that are to be gone on with (`goesOn`; default: none). `isForced`: whatever that device does meanwhile.
   */
  async own(
    options?: ClaimOptions,
    goesOn: (run: RunState) => boolean = () => false,
    isForced = false,
  ): Promise<void> {
    const { conversationId } = this.scope
    if (!(await this.ownership.acquire(conversationId))) throw elsewhere(conversationId)
    try {
      const ifFree = await this.#ifFree(goesOn, isForced)
      await this.conversation.claim({ ...options, ...ifFree })
      this.ownership.setEpoch(conversationId, this.conversation.lease.epoch)
    } catch (error) {
      this.disown()
      // Somebody was quicker.
      const isLate = OffstageError.is(error) && error.code === 'ownership-lost'
      throw isLate ? onOtherDevice(conversationId) : error
    }
  }

  /** How a claim stops no other device. A claim that is refused only afterwards would have. */
  async #ifFree(goesOn: (run: RunState) => boolean, isForced: boolean): Promise<ClaimOptions> {
    const { conversation, scope, ownership } = this
    if (!conversation.claims.isShared) return {}
    const newest = await conversation.claims.newest()
    const isOthers = await isClaimedElsewhere(conversation, ownership, newest)
    const isTaken = isOthers && (await this.#isWorkedOnElsewhere(newest))
    const { run } = conversation
    const isWanted = run !== null && goesOn(run)
    if (isTaken && !isWanted) {
      // The rows that were read to find out are no news any more, which would have shown it.
      conversation.stream.ownElsewhere(true)
      throw onOtherDevice(scope.conversationId)
    }
    const { epoch: ifEpoch, lastSeq: ifSeq } = newest
    // Unless forced: what the other device has written since would be decided on unseen.
    return { ifEpoch, ...(isOthers && !(isWanted && isForced) && { ifSeq }) }
  }

  /** Shows whether another device works on the open run: nobody says so but the store. */
  async lookElsewhere(): Promise<void> {
    const { conversation } = this
    const isFree = (): boolean =>
      this.#driver === null && !this.tabs.driverOf(this.scope.conversationId)
    if (!conversation.claims.isShared || !isFree()) return
    const isElsewhere = await this.#isWorkedOnElsewhere()
    if (isFree()) conversation.stream.ownElsewhere(isElsewhere)
  }

  /** As far as was found out. */
  get isOnOtherDevice(): boolean {
    return this.conversation.stream.live.ownership === 'other-device'
  }

  /** Another device has claimed it last, and its run is open: it works on that, or it waits. */
  async isOpenElsewhere(newest?: NewestClaim): Promise<boolean> {
    const { conversation } = this
    if (!(await isClaimedElsewhere(conversation, this.ownership, newest))) return false
    await conversation.refresh({ isOwner: false })
    return conversation.run?.end === null
  }

  async #isWorkedOnElsewhere(newest?: NewestClaim): Promise<boolean> {
    const isOpen = await this.isOpenElsewhere(newest)
    const { run } = this.conversation
    if (!isOpen || run === null) return false
    // One that waits for agents is looked after, too; one that waits for people is nobody's.
    return decide(run) !== 'wait' || run.calls.some(waitsForChild)
  }

  disown(): void {
    this.ownership.release(this.scope.conversationId)
  }

  /**
   * The run that is driven here, or the wanted one that ended as this began. `follows`: the page is sent where it
   * stands.
   */
  refTo(wanted: { readonly follows?: boolean; readonly runId?: string }): RunRef | null {
    if (this.#driver === null) return null
    const { conversationId } = this.scope
    const before = this.conversation.run?.follows
    const hasEnded = before !== undefined && before.runId === wanted.runId
    if (hasEnded || wanted.follows) this.conversation.publish(hasEnded ? 'taken-up' : 'joined')
    return { conversationId, runId: hasEnded ? before.runId : this.#driver.runId }
  }

  /** For work between runs, in the lane: owns the conversation as long as it takes. */
  async owning<T>(work: () => Promise<T>): Promise<T> {
    await this.own({ create: false })
    try {
      return await work()
    } finally {
      this.disown()
    }
  }

  /**
   * Drives a run to its end, and then the one that began with it. `driverOf`: who drives that one.
   */
  drive(driver: RunDriver, driverOf: (runId: string) => RunDriver): void {
    this.#driver = driver
    resolveAll(this.#onDriven)
    resolveAll(this.#onChange)
    this.tabs.driven(this)
    const ending = this.#ending.get(driver.runId)
    if (ending) driver.end(ending)
    this.#driven = this.#driveOn(driver, driverOf)
  }

  async #driveOn(
    driver: RunDriver,
    driverOf: (runId: string) => RunDriver,
  ): Promise<RunEnd | null> {
    const end = await driver.drive()
    const { next, askedEnd } = driver
    if (next !== null) {
      const following = driverOf(next)
      // What was to stop the run came too late for it.
      if (askedEnd) following.end(askedEnd)
      this.drive(following, driverOf)
      return end
    }
    this.#driver = null
    // The run that is to follow one that has ended keeps the lease, so that nobody comes in between.
    if (end === null || !this.#isFollowed) this.disown()
    this.tabs.undriven(this)
    // Left open: another tab says that it has it, another device doesn't.
    if (end === null) void this.lookElsewhere().catch(() => undefined)
    return end
  }

  /** Resolves when another device has changed something, or a run is driven here. */
  whenChanged(): Promise<void> {
    return new Promise((resolve) => this.#onChange.add(resolve))
  }

  /** Resolves once a run is driven here. */
  whenDriven(): Promise<void> {
    if (this.#driver) return Promise.resolve()
    return new Promise((resolve) => this.#onDriven.add(resolve))
  }

  /** How the run that is driven ends in the store; null: it is left open. */
  get driven(): Promise<RunEnd | null> {
    return this.#driven
  }

  /** A run is about to begin. */
  get #isFollowed(): boolean {
    return [...this.admissions.values()].some(({ stop }) => !stop.signal.aborted)
  }

  /** A run that was to begin doesn't: the lease that was kept for it is released. */
  async stayIdle(): Promise<void> {
    await this.inLane(async () => {
      if (this.#driver === null && !this.#isFollowed) this.disown()
    })
  }

  /** Does what ends the run, wherever it is driven. */
  async whileEnding<T>(runId: string, end: RunEnd, work: () => Promise<T>): Promise<T> {
    this.#ending.set(runId, end)
    try {
      return await work()
    } finally {
      if (this.#ending.get(runId) === end) this.#ending.delete(runId)
    }
  }

  /** The store says that it has changed, by whomever. True when its newest row is new here. */
  async noticed({ conversationId, lastSeq: newest, epoch = 0 }: StoreChange): Promise<boolean> {
    const { conversation, ownership } = this
    const lastSeq = conversationId === null ? null : newest
    // What waits for a store that could not be reached is tried now.
    if (lastSeq === null) conversation.storageRetry.retry()
    try {
      const mayBeTaken = lastSeq === null || epoch > conversation.lease.epoch
      // A run that waits holds no lease: what another device did may leave it to this one.
      const isActive = ownership.holds(this.scope.conversationId)
      if (mayBeTaken && isActive && (await isClaimedElsewhere(conversation, ownership)))
        this.#driver?.takenOver()
      if (!(await conversation.isNews(lastSeq))) return false
      // First, since it ends what is driven in a conversation that is gone.
      await this.#driver?.look()
      await conversation.refresh()
      await this.lookElsewhere()
      return true
    } catch {
      // It is read again when it is used.
      return false
    } finally {
      resolveAll(this.#onChange)
    }
  }

  /** Ends everything in a conversation that is deleted, stored or not. */
  async discard(reason: string): Promise<void> {
    for (const { stop } of this.admissions.values()) stop.abort(reason)
    this.#driver?.discard(reason)
    await this.idle()
  }
}

function resolveAll(waiting: Set<() => void>): void {
  for (const resolve of waiting) resolve()
  waiting.clear()
}
