import { waitsForChild } from '../../conversation/nested.ts'
import type { CommandResult } from '../run/approval/answer-call.ts'
import { decide } from '../run/decide.ts'
import type { Effects } from '../effects.ts'
import { isClaimedElsewhere, type Leases } from '../ownership/leases.ts'
import type { TabChannel } from '../ownership/tab-channel.ts'
import { withStop } from '../stopping.ts'
import {
  BEAT_MS,
  DrivingBeacon,
  drivingLock,
  CHECK_EVERY,
  type TabConversation,
  watchDriver,
  type SentCommand,
  TabCommands,
} from './driving-tab.ts'
import type { Driving, TabMessages } from './tab-messages.ts'
import { NOTHING_LIVE, refusedRun } from '../../conversation/live.ts'
import { whenAborted } from '../../lib/abort.ts'
import type { Live } from '../../protocol/delta.ts'
import type { Conversation } from '../conversation.ts'
import { createSerialQueue } from '../../lib/serial-queue.ts'
import type { ShownDelta } from './check-live.ts'
import { isSettled } from '../../conversation/pending.ts'
import type { RunState } from '../../protocol/state.ts'

/**
 * Whether a delta from another tab is still pending. Facts are read from the store, deltas arrive by messages, so the
 * store may be ahead. Deltas that are stored already, or belong to no open run, are not shown.
 */
function isPending(delta: ShownDelta, run: RunState | null): boolean {
  if (run === null || run.end !== null || run.runId !== delta.runId) return false
  if ('step' in delta) return delta.step > run.steps
  return delta.type !== 'tool-progress' || isUnsettled(run, delta.path.at(-1) ?? '')
}

/** Keeps only the pending deltas of another tab that are not stored yet. */
function pendingLive(live: Live, run: RunState | null): Live {
  if (run === null || run.end !== null) return NOTHING_LIVE
  const { step, retry, progress, waits } = live
  const isOpen = step?.runId === run.runId && step.step > run.steps
  return {
    ...NOTHING_LIVE,
    ownership: 'other-tab',
    ...(isOpen && { step, retry }),
    progress: Object.fromEntries(Object.entries(progress).filter(([id]) => isUnsettled(run, id))),
    waits: waits?.runId === run.runId ? waits : null,
  }
}

function isUnsettled({ calls }: RunState, toolCallId: string): boolean {
  return calls.some((call) => call.toolCallId === toolCallId && !isSettled(call))
}

/** Missed beats after which the driver counts as gone. */
const MAX_MISSED = 4

/** Time for tabs that use conversations to answer. Milliseconds. */
const ANSWER_MS = 1000
/** Time for tabs with the tool to answer. Milliseconds. */
const TOOLS_ANSWER_MS = 300
/** How long an heir leaves a run to the tab that had it, which may only be reloading. Milliseconds. */
const RELOAD_MS = 2000

/** Functions of the worker that `Tabs` calls. */
export interface TabsHost<Active extends TabConversation> {
  /** A conversation of this store that is in use here. */
  findActive(conversationId: string): Active | undefined
  /** Applies another tab's command to the run driven here. */
  perform(active: Active, sent: SentCommand): Promise<CommandResult>
  /** Resumes the open run with this agent's tools and model. The lease is held. */
  inherit(active: Active, agentId: string): Promise<void>
  /** The names of the agent's tools as they are now. */
  toolNames(agentId: string): Promise<readonly string[]>
  recordsChanged(): void
  /** The ids of the conversations that are shown or worked on here. */
  inUse(): readonly string[]
}

export interface TabsOptions<Active extends TabConversation> {
  readonly channel: TabChannel<TabMessages>
  readonly leases: Leases
  readonly effects: Effects
  readonly host: TabsHost<Active>
}

type DriverState = Omit<Driving, 'conversationId'> & { readonly from: string }

/** Keeps a conversation that the page shows up to date while another tab drives its run. */
class Follower<Active extends TabConversation> {
  /** The agent that has the conversation open. */
  readonly agentId: string
  readonly conversation: Conversation
  readonly #active: Active
  readonly #options: TabsOptions<Active>
  readonly #lifetime = new AbortController()
  /** Handles messages one at a time: some of them read the store. */
  readonly #queue = createSerialQueue()
  #driver: DriverState | null = null
  #isNew = true
  #missedBeats = 0
  /** The driver was already asked for its current state. */
  #isStateRequested = false
  #watch: AbortController | null = null
  #succession: AbortController | null = null
  /** Wakes the heir when nobody drives the run any more. */
  #wakeHeir = (): void => undefined
  #isHeirNeeded = false
  #tools: ReadonlySet<string> = new Set()

  constructor(active: Active, agentId: string, options: TabsOptions<Active>) {
    this.agentId = agentId
    this.conversation = active.conversation
    this.#active = active
    this.#options = options
  }

  /** The tab that drives the run. Null if no other tab does, undefined if none has answered yet. */
  get driver(): string | null | undefined {
    return this.#driver?.from ?? (this.#isNew ? undefined : null)
  }

  async start(): Promise<void> {
    const { signal } = this.#lifetime
    this.requestState()
    for (let beat = 1; ; beat++) {
      await this.#options.effects.sleep(BEAT_MS, signal)
      if (signal.aborted) return
      this.#isNew = false
      this.#isStateRequested = false
      if (this.#isDrivenElsewhere && ++this.#missedBeats >= MAX_MISSED) this.#handleLostDriver()
      if (beat % CHECK_EVERY === 0) this.refresh()
    }
  }

  /** Asks the driver for its current state. */
  requestState(): void {
    if (this.#isStateRequested || this.#isDriving) return
    this.#isStateRequested = true
    this.#announce(true)
  }

  /** Tells the driver that this tab follows. `isBehind`: also asks for the current state. */
  #announce(isBehind: boolean): void {
    const { conversationId } = this.conversation
    this.#options.channel.post('follow-ask', { conversationId, isBehind })
  }

  /** Whether the run is driven here. Messages of other tabs are ignored then. */
  get #isDriving(): boolean {
    return this.#active.driver !== null
  }

  /** Stops following. The page no longer shows the conversation. */
  stop(): void {
    this.#lifetime.abort()
    this.leave()
    if (!this.#isDriving) this.conversation.stream.adopt(NOTHING_LIVE)
  }

  /** Stops waiting for another tab's run and showing it: this tab drives it, or the agent is gone. */
  leave(): void {
    this.#setDriver(null)
    this.#succession?.abort()
    this.#succession = null
  }

  handleDriven(from: string, { epoch, sent }: Driving): void {
    if (this.#isOutranked(from, epoch)) return
    const driver = this.#driver
    if (driver?.from === from && driver.epoch <= epoch) {
      this.#missedBeats = 0
      if (driver.sent === sent) return this.#announce(false)
    }
    this.#isStateRequested = false
    this.requestState()
  }

  /** Starts with the driver's current state. Its later items come to `receive`. */
  join(from: string, { epoch, sent, live }: Driving & { readonly live: Live }): void {
    if (this.#isOutranked(from, epoch)) return
    this.#setDriver({ from, epoch, sent })
    this.#isNew = false
    this.#missedBeats = 0
    this.#isStateRequested = false
    this.#enqueue(async () => {
      const { conversation } = this
      await conversation.refresh()
      this.#adopt(pendingLive(live, conversation.run))
      conversation.publish('joined')
      this.#updateSuccession()
    })
  }

  receive(
    from: string,
    { sent, isStored, deltas }: Driving & { isStored: boolean; deltas: readonly ShownDelta[] },
  ): void {
    const driver = this.#driver
    if (driver?.from !== from) return this.requestState()
    if (sent <= driver.sent) return
    if (sent > driver.sent + 1) return this.requestState()
    this.#driver = { ...driver, sent }
    this.#missedBeats = 0
    this.#enqueue(async () => {
      const { conversation } = this
      const { stream } = conversation
      await stream.publishTogether(async () => {
        if (isStored) await conversation.refresh()
        for (const delta of deltas) if (isPending(delta, conversation.run)) stream.pushDelta(delta)
      })
      this.#updateSuccession()
    })
  }

  /** Handles that a tab no longer drives the run. */
  handleUndriven(from: string): void {
    if (this.#driver?.from === from) this.#handleLostDriver()
  }

  /**
   * Whether another tab drives the run. True for a run just taken from this tab, even before the new driver announces
   * itself.
   */
  get #isDrivenElsewhere(): boolean {
    return this.#driver !== null || this.conversation.stream.live.ownership === 'other-tab'
  }

  #handleLostDriver(): void {
    this.#setDriver(null)
    this.#isStateRequested = false
    this.#enqueue(async () => {
      const { conversation } = this
      await conversation.refresh()
      // If no other tab has claimed the run that this tab lost, this tab may resume it itself.
      this.#updateSuccession()
      this.#adopt(NOTHING_LIVE)
      await conversation.drafts.showStored(conversation.run)
      conversation.publish('joined')
      if (conversation.run?.end !== null) return
      // A driver that is alive after all answers this before an heir resumes the run.
      this.requestState()
      this.#isHeirNeeded = true
      this.#wakeHeir()
      // Not awaited, so that an unreachable store doesn't delay the heir.
      void this.#active.checkOtherDevices().catch(() => undefined)
    })
  }

  #setDriver(driver: DriverState | null): void {
    if (driver?.from !== this.#driver?.from) {
      this.#watch?.abort()
      this.#watch = driver && this.#watchDriver(driver.from)
    }
    this.#driver = driver
  }

  #watchDriver(tabId: string): AbortController {
    const lock = drivingLock(tabId, this.conversation.conversationId)
    return watchDriver(this.#options.effects, lock, () => this.handleUndriven(tabId))
  }

  /** Takes the live state of another tab. Keeps a run that was refused here, which only this tab shows. */
  #adopt(live: Live): void {
    const { stream } = this.conversation
    stream.adopt({ ...live, left: refusedRun(stream.live) })
  }

  /** Reads the conversation again: it may have changed without an announcement, such as when it was deleted. */
  refresh(): void {
    this.#enqueue(async () => {
      await this.conversation.refresh()
      this.#updateSuccession()
    })
  }

  async refreshTools(): Promise<void> {
    this.#tools = new Set(await this.#options.host.toolNames(this.agentId).catch(() => []))
  }

  /** Whether to ignore a tab: this tab drives the run, or one with a newer claim does. */
  #isOutranked(from: string, epoch: number): boolean {
    if (this.#isDriving) return true
    return this.#driver !== null && this.#driver.from !== from && epoch < this.#driver.epoch
  }

  #enqueue(work: () => Promise<void>): void {
    // A failed read is repeated at the next message.
    void this.#queue(async () => {
      if (!this.#isDriving && !this.#lifetime.signal.aborted) await work()
    }).catch(() => undefined)
  }

  /** Queues for a run that another tab drives or drove, until it has ended. */
  #updateSuccession(): void {
    const { run } = this.conversation
    if (run?.end !== null) {
      this.#succession?.abort()
      this.#succession = null
      // Child runs have no heirs: the new owner of the parent run resumes them.
    } else if (this.#isDrivenElsewhere && !this.#succession && !run.forCall)
      void this.#waitToInherit()
  }

  async #waitToInherit(): Promise<void> {
    const { leases, host } = this.#options
    const controller = new AbortController()
    this.#succession = controller
    await this.refreshTools()
    try {
      await leases.awaitSuccession(this.conversation.conversationId, {
        isCapable: () => this.#isCapable(),
        isNeeded: () => this.#isNeeded(),
        whenNeeded: (signal) => this.#whenNeeded(signal),
        signal: controller.signal,
      })
      await host.inherit(this.#active, this.agentId)
    } catch {
      // Waiting was cancelled, or resuming failed: a person may still resume the run.
    } finally {
      if (this.#succession === controller) this.#succession = null
    }
  }

  async #whenNeeded(signal: AbortSignal): Promise<void> {
    const woken = new Promise<void>((resolve) => (this.#wakeHeir = resolve))
    if (!this.#isHeirNeeded) await Promise.race([woken, whenAborted(signal)])
    this.#isHeirNeeded = false
  }

  /**
   * Whether the agent has all tools that the run has used. Compares only names: if a tool's definition differs, its
   * waiting calls are judged again.
   */
  #isCapable(): boolean {
    const { run, state } = this.conversation
    const usedCalls = state.path.flatMap(({ runId, calls }) => (runId === run?.runId ? calls : []))
    return usedCalls.every(({ known, toolName }) => !known || this.#tools.has(toolName))
  }

  /**
   * Whether the run needs an heir: it is open, has something to do, and no tab wants it back. Called while nobody else
   * can write.
   */
  async #isNeeded(): Promise<boolean> {
    const { conversation } = this
    const { channel, effects, leases } = this.#options
    const isOpen = async (): Promise<boolean> => {
      if (await isClaimedElsewhere(conversation, leases)) return false
      await conversation.refresh()
      const { run } = conversation
      if (run === null || run.end !== null) return false
      if (decide(run) !== 'wait') return true
      // A run that waits for child runs needs a driver, too: it looks after them.
      return !run.paused && run.calls.some(waitsForChild) && this.driver === null
    }
    return withStop([], async (wait) => {
      const remove = channel.on('run-wanted', ({ conversationId }) => {
        if (conversationId === conversation.conversationId) wait.abort()
      })
      try {
        if (!(await isOpen())) return false
        await effects.sleep(RELOAD_MS, wait.signal)
        return !wait.signal.aborted && (await isOpen())
      } finally {
        remove()
      }
    })
  }
}

/** Connects the tabs that use this store: they follow runs driven here, and this tab follows theirs. */
export class Tabs<Active extends TabConversation> {
  readonly #options: TabsOptions<Active>
  readonly #beacon: DrivingBeacon
  readonly #commands: TabCommands
  readonly #followers = new Map<string, Follower<Active>>()

  constructor(options: TabsOptions<Active>) {
    this.#options = options
    const { channel, effects, host } = options
    const findActive = (conversationId: string): Active | undefined =>
      host.findActive(conversationId)
    this.#beacon = new DrivingBeacon({ channel, effects, findActive })
    this.#commands = new TabCommands(channel, effects, (conversationId, sent) => {
      const active = findActive(conversationId)
      return active?.driver ? host.perform(active, sent) : null
    })
    this.#receive()
  }

  #receive(): void {
    const { channel, host, leases } = this.#options
    const followerOf = ({
      conversationId,
    }: {
      readonly conversationId: string
    }): Follower<Active> | undefined => this.#followers.get(conversationId)
    const noteDriver = (driving: Driving): Follower<Active> | undefined => {
      leases.noteClaim(driving.conversationId, driving.epoch)
      return followerOf(driving)
    }
    channel.on('run-driven', (driving, from) => noteDriver(driving)?.handleDriven(from, driving))
    channel.on('run-undriven', (ref, from) => followerOf(ref)?.handleUndriven(from))
    channel.on('follow-begin', (message, from) => {
      if (message.to === channel.tabId) noteDriver(message)?.join(from, message)
    })
    channel.on('follow-items', (items, from) => noteDriver(items)?.receive(from, items))
    channel.on('record-changed', (ref) => {
      host.recordsChanged()
      const driver = host.findActive(ref.conversationId)?.driver
      if (driver) void driver.checkStore()
      else followerOf(ref)?.refresh()
    })
    channel.on('use-ask', ({ askId }) => {
      const conversationIds = host.inUse()
      if (conversationIds.length > 0) channel.post('use-there', { askId, conversationIds })
    })
    channel.on('tool-ask', async ({ toolName, askId, ...ref }) => {
      const follower = followerOf(ref)
      const names = follower ? await host.toolNames(follower.agentId).catch(() => []) : []
      if (names.includes(toolName)) channel.post('tool-there', { askId })
    })
  }

  /** Handles that a run is driven here from now on. */
  handleDriven(active: Active): void {
    this.#followers.get(active.conversation.conversationId)?.leave()
    this.#beacon.start(active)
  }

  /** Handles that nothing is driven here any more. Another tab may have resumed the run already. */
  handleUndriven(active: Active): void {
    const { conversationId, stream } = active.conversation
    this.#beacon.stop(active)
    // Without a follower, nothing would ever correct the ownership `other-tab`.
    if (!this.follows(conversationId)) stream.setOwnership('none')
    this.#followers.get(conversationId)?.requestState()
  }

  /** Sends published items to the tabs that follow the conversation. */
  relay(active: Active): void {
    active.conversation.stream.relay = (items) => {
      if (active.driver) this.#beacon.relay(active, items)
    }
  }

  /** Follows a conversation that the page shows. This agent may resume its run if the driver is gone. */
  follow(active: Active, agentId: string): void {
    const { conversationId } = active.conversation
    const existing = this.#followers.get(conversationId)
    if (existing?.agentId === agentId) return existing.requestState()
    this.unfollow(conversationId)
    if (!this.#options.channel.isOpen) return
    const follower = new Follower(active, agentId, this.#options)
    this.#followers.set(conversationId, follower)
    void follower.start()
  }

  unfollow(conversationId: string): void {
    this.#followers.get(conversationId)?.stop()
    this.#followers.delete(conversationId)
  }

  /** Tells followers that the agent's tools changed. */
  toolsChanged(agentId: string): void {
    for (const follower of this.#followers.values())
      if (follower.agentId === agentId) void follower.refreshTools()
  }

  /** Stops following for a released agent, which shows nothing and can't resume runs. */
  handleRelease(agentId: string): void {
    for (const [conversationId, follower] of this.#followers)
      if (follower.agentId === agentId) this.unfollow(conversationId)
  }

  /** The tab that drives the conversation's run. Null if none does, undefined if the conversation isn't followed. */
  driverOf(conversationId: string): string | null | undefined {
    return this.#followers.get(conversationId)?.driver
  }

  /** Whether the conversation is followed, for a page that shows it. */
  follows(conversationId: string): boolean {
    return this.#followers.has(conversationId)
  }

  /** Asks the tab that drives the conversation's run. Null if none does. `isMoving`: another tab will drive it soon. */
  async send(
    conversationId: string,
    sent: SentCommand,
    isMoving: boolean,
  ): Promise<CommandResult | null> {
    const driver = isMoving ? null : this.driverOf(conversationId)
    if (driver === null && !isMoving) return null
    return this.#commands.send(conversationId, driver, sent)
  }

  /** Whether another tab that shows the conversation has the tool. */
  async hasTool(conversationId: string, toolName: string): Promise<boolean> {
    const { channel, effects } = this.#options
    if (!channel.isOpen) return false
    const askId = effects.newId('ask-')
    let isFound = false
    await withStop([], async (wait) => {
      const remove = channel.on('tool-there', (answer) => {
        if (answer.askId !== askId) return
        isFound = true
        wait.abort()
      })
      channel.post('tool-ask', { conversationId, toolName, askId })
      await effects.sleep(TOOLS_ANSWER_MS, wait.signal)
      remove()
    })
    return isFound
  }

  /** The ids of the conversations that other tabs show or work on. Frozen tabs don't answer. */
  async usedElsewhere(): Promise<ReadonlySet<string>> {
    const { channel, effects } = this.#options
    const found = new Set<string>()
    if (!channel.isOpen) return found
    const askId = effects.newId('ask-')
    const remove = channel.on('use-there', (answer) => {
      if (answer.askId === askId) for (const id of answer.conversationIds) found.add(id)
    })
    channel.post('use-ask', { askId })
    await effects.sleep(ANSWER_MS)
    remove()
    return found
  }

  /** Announces that the page wants to resume a run. Heirs in other tabs leave it to this tab. */
  announceResume(conversationId: string): void {
    this.#options.channel.post('run-wanted', { conversationId })
  }

  recordChanged(conversationId: string): void {
    this.#options.host.recordsChanged()
    this.#options.channel.post('record-changed', { conversationId })
  }
}
