import { waitsForChild } from '../../conversation/nested.ts'
import { decide } from '../run/decide.ts'
import type { Effects } from '../effects.ts'
import { isClaimedElsewhere } from '../ownership/elsewhere.ts'
import type { Leases } from '../ownership/leases.ts'
import type { TabChannel } from '../ownership/tab-channel.ts'
import { withStop } from '../ownership/with-stop.ts'
import { DrivingBeacon } from './driving-beacon.ts'
import { drivingLock, watchDriver } from './driving-lock.ts'
import { Follower } from './follower.ts'
import { type SentCommand, TabCommands } from './tab-commands.ts'
import type { Driving, TabMessages } from './tab-messages.ts'
import type { TabConversation } from './tab-conversation.ts'
import { ToolsElsewhere } from './tools-elsewhere.ts'
import { UseElsewhere } from './use-elsewhere.ts'

/** How long an heir leaves a run to the tab that had it, which may only be reloading. Milliseconds. */
const RELOAD_MS = 2000

/** The part of the worker that tabs need. */
export interface TabsHost<Active extends TabConversation> {
  /** A conversation of this store that is in use here. */
  activeOf(conversationId: string): Active | undefined
  /** Applies another tab's command to the run driven here. Null if another driver has to do it. */
  perform(active: Active, asked: SentCommand): Promise<boolean | null>
  /** Resumes the open run with this agent's tools and model. The lease is held. */
  succeed(active: Active, agentId: string): Promise<void>
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

/** Connects the tabs that use this store: they follow runs driven here, and this tab follows theirs. */
export class Tabs<Active extends TabConversation> {
  readonly #options: TabsOptions<Active>
  readonly #driven: DrivingBeacon
  readonly #commands: TabCommands
  readonly #tools: ToolsElsewhere
  readonly #use: UseElsewhere
  readonly #followers = new Map<string, Follower>()

  constructor(options: TabsOptions<Active>) {
    this.#options = options
    const { channel, effects, host } = options
    const activeOf = (conversationId: string): Active | undefined => host.activeOf(conversationId)
    this.#driven = new DrivingBeacon({ channel, effects, activeOf })
    this.#commands = new TabCommands(channel, effects, (conversationId, asked) => {
      const active = activeOf(conversationId)
      return active?.driver ? host.perform(active, asked) : null
    })
    this.#use = new UseElsewhere({ channel, effects, inUse: () => host.inUse() })
    this.#tools = new ToolsElsewhere({
      channel,
      effects,
      toolNames: async (conversationId) => {
        const follower = this.#followers.get(conversationId)
        return follower ? host.toolNames(follower.agentId) : []
      },
    })
    this.#receive()
  }

  #receive(): void {
    const { channel, host, leases } = this.#options
    const of = ({ conversationId }: { readonly conversationId: string }): Follower | undefined =>
      this.#followers.get(conversationId)
    const noted = (driving: Driving): Follower | undefined => {
      leases.noteClaim(driving.conversationId, driving.epoch)
      return of(driving)
    }
    channel.on('run-driven', (driving, from) => noted(driving)?.driven(from, driving))
    channel.on('run-undriven', (ref, from) => of(ref)?.undriven(from))
    channel.on('follow-begin', (begin, from) => {
      if (begin.to === channel.tabId) noted(begin)?.join(from, begin)
    })
    channel.on('follow-items', (items, from) => noted(items)?.take(from, items))
    channel.on('record-changed', (ref) => {
      host.recordsChanged()
      const driver = host.activeOf(ref.conversationId)?.driver
      if (driver) void driver.look()
      else of(ref)?.refresh()
    })
  }

  /** Handles that a run is driven here from now on. */
  driven(active: Active): void {
    this.#followers.get(active.conversation.conversationId)?.leave()
    this.#driven.begin(active)
  }

  /** Handles that nothing is driven here any more. Another tab may have resumed the run already. */
  undriven(active: Active): void {
    const { conversationId, stream } = active.conversation
    this.#driven.end(active)
    // Without a follower, nothing would ever correct the ownership `other-tab`.
    if (!this.follows(conversationId)) stream.own('none')
    this.#followers.get(conversationId)?.ask()
  }

  /** Sends published items to the tabs that follow the conversation. */
  relay(active: Active): void {
    active.conversation.stream.relay = (items) => {
      if (active.driver) this.#driven.relay(active, items)
    }
  }

  /** Follows a conversation that the page shows. This agent may resume its run if the driver is gone. */
  follow(active: Active, agentId: string): void {
    const { conversationId } = active.conversation
    const { channel, effects, host, leases } = this.#options
    const known = this.#followers.get(conversationId)
    if (known?.agentId === agentId) return known.ask()
    this.unfollow(conversationId)
    if (!channel.isOpen) return
    const follower = new Follower(active.conversation, {
      agentId,
      isDriving: () => active.driver !== null,
      ask: (isBehind) => channel.post('follow-ask', { conversationId, isBehind }),
      sleep: (ms, signal) => effects.sleep(ms, signal),
      lookElsewhere: () => active.lookElsewhere(),
      watch: (tabId, onGone) => watchDriver(effects, drivingLock(tabId, conversationId), onGone),
      toolNames: () => host.toolNames(agentId),
      succeed: async (succession) => {
        const isNeeded = (): Promise<boolean> => this.#isNeeded(active, follower)
        await leases.awaitSuccession(conversationId, { ...succession, isNeeded })
        await host.succeed(active, agentId)
      },
    })
    this.#followers.set(conversationId, follower)
    void follower.begin()
  }

  unfollow(conversationId: string): void {
    this.#followers.get(conversationId)?.stop()
    this.#followers.delete(conversationId)
  }

  /** Tells followers that the agent's tools changed. */
  toolsChanged(agentId: string): void {
    for (const follower of this.#followers.values())
      if (follower.agentId === agentId) void follower.lookAtTools()
  }

  /** Stops following for a released agent, which shows nothing and can't resume runs. */
  released(agentId: string): void {
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
  async ask(
    conversationId: string,
    sent: SentCommand,
    isMoving: boolean,
  ): Promise<boolean | 'left' | null> {
    const driver = isMoving ? null : this.driverOf(conversationId)
    if (driver === null && !isMoving) return null
    return this.#commands.ask(conversationId, driver, sent)
  }

  /** Whether another tab that shows the conversation has the tool. */
  hasTool(conversationId: string, toolName: string): Promise<boolean> {
    return this.#tools.has(conversationId, toolName)
  }

  /** The conversations that other tabs show or work on. */
  usedElsewhere(): Promise<ReadonlySet<string>> {
    return this.#use.find()
  }

  /** Announces that the page wants to resume a run. Heirs in other tabs leave it to this tab. */
  want(conversationId: string): void {
    this.#options.channel.post('run-wanted', { conversationId })
  }

  recordChanged(conversationId: string): void {
    this.#options.host.recordsChanged()
    this.#options.channel.post('record-changed', { conversationId })
  }

  /**
   * Whether the run needs an heir: it is open, has something to do, and no tab wants it back. Called while nobody else
   * can write.
   */
  async #isNeeded({ conversation }: Active, follower: Follower): Promise<boolean> {
    const { channel, effects, leases } = this.#options
    const isOpen = async (): Promise<boolean> => {
      if (await isClaimedElsewhere(conversation, leases)) return false
      await conversation.refresh()
      const { run } = conversation
      if (run === null || run.end !== null) return false
      if (decide(run) !== 'wait') return true
      // A run that waits for child runs needs a driver, too: it looks after them.
      return !run.parked && run.calls.some(waitsForChild) && follower.driver === null
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
