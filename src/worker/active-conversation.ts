import type { ConversationScope, RunRef } from '../protocol/conversation.ts'
import { OffstageError } from '../protocol/error.ts'
import type { RunEnd } from '../protocol/fact.ts'
import type { RunState } from '../protocol/state.ts'
import { waitsForChild } from '../conversation/nested.ts'
import type { AppendOptions, Conversation } from './conversation.ts'
import type { FactDraft } from './store/fact-draft.ts'
import type { ClaimOptions, StoreChange } from './store/store.ts'
import { createSerialQueue, type SerialQueue } from '../lib/serial-queue.ts'
import {
  otherOwnerError,
  isClaimedElsewhere,
  otherDeviceError,
  type Leases,
} from './ownership/leases.ts'
import type { NewestClaim } from './store/claims.ts'
import { decide } from './run/decide.ts'
import type { RunDriver } from './run/run-driver.ts'
import { whenAborted } from '../lib/abort.ts'
import type { Tabs } from './tabs/tabs.ts'

export function busyError(conversationId: string): OffstageError {
  return new OffstageError(
    'conversation-busy',
    `Conversation ${conversationId} has an open run. Await or abort it, resume it, or pass ifBusy: 'queue' or 'replace'.`,
  )
}

/** The error for a child run that no call waits for any more. */
export function parentEndedError(): OffstageError {
  return new OffstageError('invalid-input', 'The parent call of this run has ended.')
}

/**
 * Error for a call id that open calls of several conversations share: some models restart their numbering in each
 * conversation.
 */
export function ambiguousCall(
  toolCallId: string,
  conversationIds: readonly string[],
): OffstageError {
  return new OffstageError(
    'ambiguous-call',
    `Several conversations have an open call ${toolCallId}: ${conversationIds.join(', ')}. Pass { conversationId, toolCallId }, or answer with the methods of agent.conversation(id).`,
    { details: { conversationIds: [...conversationIds] } },
  )
}

/** The error for a paused run. Waiting doesn't help: the user has to decide. */
export function runPausedError(conversationId: string, reason: string): OffstageError {
  return new OffstageError(
    'conversation-busy',
    `The open run of conversation ${conversationId} is paused (${reason}). Continue it with continue(), abort it, or pass ifBusy: 'replace'.`,
  )
}

export function callsPending(
  pending: readonly { readonly toolCallId: string; readonly toolName: string }[],
): OffstageError {
  const names = pending.map((call) => `${call.toolName} (${call.toolCallId})`).join(', ')
  return new OffstageError(
    'calls-pending',
    `These calls wait for their outputs: ${names}. Supply them with supplyOutput() before the next turn.`,
  )
}

/** A requested run that isn't stored yet. */
export interface Admission {
  readonly agentId: string
  readonly runId: string
  /** Aborted to keep the run from beginning. */
  readonly stop: AbortController
  /** True while the run's first commit waits for the storage. No other run may begin then. */
  isPaused: boolean
  /** Resolves once the run has begun, or can no longer begin. */
  readonly isOver: Promise<void>
}

export interface ActiveConversationParts {
  readonly conversation: Conversation
  readonly leases: Leases
  readonly tabs: Tabs<ActiveConversation>
}

/** A conversation in use: its state, the run driven here, and the runs that wait to begin. */
export class ActiveConversation {
  readonly scope: ConversationScope
  readonly conversation: Conversation
  readonly leases: Leases
  readonly tabs: Tabs<ActiveConversation>
  /** Requested runs by run id. */
  readonly admissions: Map<string, Admission> = new Map()
  #driver: RunDriver | null = null
  /** Callbacks that wait for a driver. */
  readonly #drivenWaiters = new Set<() => void>()
  /** Callbacks that wait for a change. */
  readonly #changeWaiters = new Set<() => void>()
  #runEnd: Promise<RunEnd | null> = Promise.resolve(null)
  /**
   * Runs that are being ended, here or in another tab. If this tab resumes such a run meanwhile, the run ends at once.
   */
  readonly #endingRuns = new Map<string, RunEnd>()
  /** Runs commands on the conversation one at a time. No command waits for a run or for storage space. */
  readonly enqueue: SerialQueue = createSerialQueue()

  constructor(scope: ConversationScope, { conversation, leases, tabs }: ActiveConversationParts) {
    const { agentId, storage, conversationId } = scope
    this.scope = { agentId, storage, conversationId }
    this.conversation = conversation
    this.leases = leases
    this.tabs = tabs
  }

  /** Whether this worker uses or shows the conversation, or another tab drives it. If not, its state can be dropped. */
  get isInUse(): boolean {
    const { conversationId, stream, storageRetry } = this.conversation
    return (
      this.#driver !== null ||
      this.admissions.size > 0 ||
      stream.isJoined ||
      storageRetry.waitError !== null ||
      this.tabs.driverOf(conversationId) !== undefined ||
      this.leases.holds(conversationId)
    )
  }

  get driver(): RunDriver | null {
    return this.#driver
  }

  /** The run whose first commit waits for the storage. */
  get paused(): Admission | null {
    return [...this.admissions.values()].find((admission) => admission.isPaused) ?? null
  }

  /** Resolves when no run is driven here any more, or the signal aborts. */
  async whenIdle(signal?: AbortSignal): Promise<void> {
    const aborted = signal && whenAborted(signal)
    while (this.#driver && !signal?.aborted) {
      await (aborted ? Promise.race([this.#runEnd, aborted]) : this.#runEnd)
    }
  }

  /** Like `enqueue`, but throws `conversation-busy` while a run waits for the storage. */
  async enqueueNow<T>(work: () => Promise<T>): Promise<T> {
    if (this.paused) throw busyError(this.scope.conversationId)
    return this.enqueue(work)
  }

  /**
   * Becomes the conversation's owner. Throws `conversation-busy` if another tab owns it, or another device works on its
   * run. `mayResume` decides whether to take over that device's run (default: never). `isForced`: takes the run even if
   * that device writes meanwhile.
   */
  async claim(
    options?: ClaimOptions,
    mayResume: (run: RunState) => boolean = () => false,
    isForced = false,
  ): Promise<void> {
    const { conversationId } = this.scope
    if (!(await this.leases.acquire(conversationId))) throw otherOwnerError(conversationId)
    try {
      const conditions = await this.#claimConditions(mayResume, isForced)
      await this.conversation.claim({ ...options, ...conditions })
      this.leases.setEpoch(conversationId, this.conversation.claimed.epoch)
    } catch (error) {
      this.releaseOwnership()
      // `ownership-lost`: another device was quicker.
      if (!OffstageError.is(error) || error.code !== 'ownership-lost') throw error
      await this.conversation.refresh({ isOwner: false }).catch(() => undefined)
      throw otherDeviceError(conversationId)
    }
  }

  /**
   * Conditions that let the store reject a claim that would stop another device. A check after the claim would be too
   * late: the claim has already fenced that device off.
   */
  async #claimConditions(
    mayResume: (run: RunState) => boolean,
    isForced: boolean,
  ): Promise<ClaimOptions> {
    const { conversation, scope, leases: ownership } = this
    if (!conversation.claims.isShared) return {}
    const newest = await conversation.claims.newest()
    const isClaimedByOther = await isClaimedElsewhere(conversation, ownership, newest)
    const isBusyElsewhere = isClaimedByOther && (await this.#isActiveElsewhere(newest))
    const { run } = conversation
    const isResumable = run !== null && mayResume(run)
    if (isBusyElsewhere && !isResumable) {
      // Shows it now: the rows are already read, so no later change would report them as new.
      conversation.stream.setOnOtherDevice(true)
      throw otherDeviceError(scope.conversationId)
    }
    const { epoch: ifEpoch, lastSeq: ifSeq } = newest
    // Unless forced, the claim fails if the other device has written more rows: this decision didn't take them into
    // account.
    return { ifEpoch, ...(isClaimedByOther && !(isResumable && isForced) && { ifSeq }) }
  }

  /** Asks the store whether another device works on the open run, and shows the result. */
  async checkOtherDevices(): Promise<void> {
    const { conversation } = this
    const isFree = (): boolean =>
      this.#driver === null && !this.tabs.driverOf(this.scope.conversationId)
    if (!conversation.claims.isShared || !isFree()) return
    const isElsewhere = await this.#isActiveElsewhere()
    if (isFree()) conversation.stream.setOnOtherDevice(isElsewhere)
  }

  /** Whether another device works on the run, according to the last check. */
  get isOnOtherDevice(): boolean {
    return this.conversation.stream.live.ownership === 'other-device'
  }

  /** Whether the run is open and another device made the newest claim, even if the run is waiting. */
  async isOpenElsewhere(newest?: NewestClaim): Promise<boolean> {
    const { conversation } = this
    if (!(await isClaimedElsewhere(conversation, this.leases, newest))) return false
    await conversation.refresh({ isOwner: false })
    return conversation.run?.end === null
  }

  async #isActiveElsewhere(newest?: NewestClaim): Promise<boolean> {
    const isOpen = await this.isOpenElsewhere(newest)
    const { run } = this.conversation
    if (!isOpen || run === null) return false
    // A run that waits for child runs still has a driver. A run that waits for people has none.
    return decide(run) !== 'wait' || run.calls.some(waitsForChild)
  }

  releaseOwnership(): void {
    this.leases.release(this.scope.conversationId)
  }

  /**
   * The run driven here, or the requested run if it ended as the driven run began. In that case, or with `follows`,
   * also publishes the current state to the page.
   */
  refTo(request: { readonly follows?: boolean; readonly runId?: string }): RunRef | null {
    if (this.#driver === null) return null
    const { conversationId } = this.scope
    const previous = this.conversation.run?.follows
    const hasEnded = previous !== undefined && previous.runId === request.runId
    if (hasEnded || request.follows) this.conversation.publish(hasEnded ? 'resumed' : 'joined')
    return { conversationId, runId: hasEnded ? previous.runId : this.#driver.runId }
  }

  /** Owns the conversation while the work runs. Call it between runs, within the queue. */
  async runAsOwner<T>(work: () => Promise<T>): Promise<T> {
    await this.claim({ create: false })
    try {
      return await work()
    } finally {
      this.releaseOwnership()
    }
  }

  /** Appends as the owner; call it within the queue. Throws `conversation-busy` while a run is open. */
  appendBetweenRuns(
    facts: () => readonly FactDraft[] | null,
    options: Pick<AppendOptions, 'waits'> = {},
  ): Promise<boolean> {
    const whenIdle = (run: RunState | null): readonly FactDraft[] | null => {
      if (run?.end === null) throw busyError(this.scope.conversationId)
      return facts()
    }
    return this.runAsOwner(() => this.conversation.append(whenIdle, { runId: null, ...options }))
  }

  /**
   * Drives a run to its end, then the run that began in the same append as that end. `createDriver` makes the next
   * run's driver.
   */
  drive(driver: RunDriver, createDriver: (runId: string) => RunDriver): void {
    this.#driver = driver
    resolveAll(this.#drivenWaiters)
    resolveAll(this.#changeWaiters)
    this.tabs.handleDriven(this)
    const ending = this.#endingRuns.get(driver.runId)
    if (ending) driver.requestEnd(ending)
    this.#runEnd = this.#driveToEnd(driver, createDriver)
  }

  async #driveToEnd(
    driver: RunDriver,
    createDriver: (runId: string) => RunDriver,
  ): Promise<RunEnd | null> {
    const end = await driver.drive()
    const { next, requestedEnd } = driver
    if (next !== null) {
      const nextDriver = createDriver(next)
      // The stop request came too late for this run, so it ends the next run.
      if (requestedEnd) nextDriver.requestEnd(requestedEnd)
      this.drive(nextDriver, createDriver)
      return end
    }
    this.#driver = null
    // Keeps the lease if another run is about to begin, so that no other tab comes in between.
    if (end === null || !this.#hasNextRun) this.releaseOwnership()
    this.tabs.handleUndriven(this)
    // The run is unfinished. Another tab that drives the run announces itself, but another device doesn't, so the store
    // is asked.
    if (end === null) void this.checkOtherDevices().catch(() => undefined)
    return end
  }

  /** Resolves when another device has changed something, or a run is driven here. */
  whenChanged(): Promise<void> {
    return new Promise((resolve) => this.#changeWaiters.add(resolve))
  }

  /** Resolves once a run is driven here. */
  whenDriven(): Promise<void> {
    if (this.#driver) return Promise.resolve()
    return new Promise((resolve) => this.#drivenWaiters.add(resolve))
  }

  /** Stored end of the run driven here. Null if the run stays unfinished. */
  get runEnd(): Promise<RunEnd | null> {
    return this.#runEnd
  }

  /** Whether a run is about to begin. */
  get #hasNextRun(): boolean {
    return [...this.admissions.values()].some(({ stop }) => !stop.signal.aborted)
  }

  /** Releases the lease that was kept for the next run, if that run doesn't begin. */
  async releaseIfIdle(): Promise<void> {
    await this.enqueue(async () => {
      if (this.#driver === null && !this.#hasNextRun) this.releaseOwnership()
    })
  }

  /** Marks the run as ending while the work ends it, here or in another tab. */
  async whileEnding<T>(runId: string, end: RunEnd, work: () => Promise<T>): Promise<T> {
    this.#endingRuns.set(runId, end)
    try {
      return await work()
    } finally {
      if (this.#endingRuns.get(runId) === end) this.#endingRuns.delete(runId)
    }
  }

  /** Handles a change that the store reports. True if its newest row is new here. */
  async handleChange({
    conversationId,
    lastSeq: newest,
    epoch = 0,
  }: StoreChange): Promise<boolean> {
    const { conversation, leases: ownership } = this
    const lastSeq = conversationId === null ? null : newest
    // The store may be reachable again, so waiting commits are retried.
    if (lastSeq === null) conversation.storageRetry.retry()
    try {
      const mayBeClaimed = lastSeq === null || epoch > conversation.claimed.epoch
      // Only a lease holder has to stop. A waiting run holds no lease: the other device may leave the run to this one.
      const isActive = ownership.holds(this.scope.conversationId)
      if (mayBeClaimed && isActive && (await isClaimedElsewhere(conversation, ownership)))
        this.#driver?.handleTakeover()
      if (!(await conversation.hasNewRow(lastSeq))) return false
      // The driver checks first, because it ends the run of a deleted conversation.
      await this.#driver?.checkStore()
      await conversation.refresh()
      await this.checkOtherDevices()
      return true
    } catch {
      // The change counts as old: the next use reads the conversation again.
      return false
    } finally {
      resolveAll(this.#changeWaiters)
    }
  }

  /** Ends all runs of a deleted conversation, including requested runs that aren't stored yet. */
  async discard(reason: string): Promise<void> {
    for (const { stop } of this.admissions.values()) stop.abort(reason)
    this.#driver?.discard(reason)
    await this.whenIdle()
  }
}

function resolveAll(waiting: Set<() => void>): void {
  for (const resolve of waiting) resolve()
  waiting.clear()
}
