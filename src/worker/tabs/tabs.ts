import type { Conversation } from '../conversation.ts'
import { decide } from '../decide.ts'
import type { StreamItem } from '../../protocol/stream.ts'
import type { Effects } from '../effects.ts'
import type { Leases } from '../ownership/leases.ts'
import type { TabChannel } from '../ownership/tab-channel.ts'
import type { Seat } from '../seat.ts'
import { Follower } from './follower.ts'
import { TabCommands } from './tab-commands.ts'
import type { TabCommand, TabMessages } from './tab-messages.ts'

/** How long an heir leaves a run to the tab that had it: its page may only be reloaded. Milliseconds. */
const RELOAD_MS = 2000

/** What tabs need of the worker that they are part of. */
export interface TabsHost {
  /** A conversation of this store that is in use here. */
  seatOf(conversationId: string): Seat | undefined
  /** Does what another tab asks of the run that is driven here. */
  perform(seat: Seat, command: TabCommand): Promise<boolean>
  /** Goes on with the open run, whose lease is held, with this agent's tools and model. */
  succeed(seat: Seat, agentId: string): Promise<void>
  /** The names of the agent's tools as they are now. */
  toolNames(agentId: string): Promise<readonly string[]>
  recordsChanged(): void
}

export interface TabsOptions {
  readonly channel: TabChannel<TabMessages>
  readonly leases: Leases
  readonly effects: Effects
  readonly host: TabsHost
}

/** The other tabs that use this store: they follow what is driven here, and the other way round. */
export class Tabs {
  readonly #options: TabsOptions
  readonly #commands: TabCommands
  readonly #followers = new Map<string, Follower>()
  /** Conversations that other tabs follow. */
  readonly #followed = new Set<string>()

  constructor(options: TabsOptions) {
    this.#options = options
    const { channel, effects, host } = options
    this.#commands = new TabCommands(channel, effects, (conversationId, command) => {
      const seat = host.seatOf(conversationId)
      return seat?.driver ? host.perform(seat, command) : null
    })
    channel.on('follow-ask', ({ conversationId }, from) => this.#beginFor(conversationId, from))
    channel.on('driver-ask', ({ conversationId }) => {
      if (host.seatOf(conversationId)?.driver) channel.post('driver-alive', { conversationId })
    })
    channel.on('driver-alive', ({ conversationId }) => this.#followers.get(conversationId)?.alive())
    channel.on('run-driven', ({ conversationId }) => {
      if (this.#followers.has(conversationId)) channel.post('follow-ask', { conversationId })
    })
    channel.on('follow-begin', ({ conversationId, to, ...standing }) => {
      if (to === channel.tabId) this.#followers.get(conversationId)?.begin(standing)
    })
    channel.on('follow-items', ({ conversationId, items }) =>
      this.#followers.get(conversationId)?.take(items),
    )
    channel.on('record-changed', ({ conversationId }) => {
      host.recordsChanged()
      this.#followers.get(conversationId)?.refresh()
    })
  }

  /** A run is driven here from now on. */
  driven({ conversation: { conversationId } }: Seat): void {
    this.#followers.get(conversationId)?.stop()
    this.#options.channel.post('run-driven', { conversationId })
  }

  /** Nothing is driven here any more. Another tab may have gone on with the run before. */
  undriven({ conversation: { conversationId } }: Seat): void {
    this.#followed.delete(conversationId)
    if (this.#followers.has(conversationId))
      this.#options.channel.post('follow-ask', { conversationId })
  }

  /** What is published here goes to the tabs that follow the conversation. */
  relay({ conversationId, stream }: Conversation): void {
    stream.relay = (items) => this.relayItems(conversationId, items)
  }

  relayItems(conversationId: string, items: readonly StreamItem[]): void {
    if (this.#followed.has(conversationId))
      this.#options.channel.post('follow-items', { conversationId, items })
  }

  /** The page shows the conversation: it follows whoever drives it, and may succeed with this agent. */
  follow(seat: Seat, agentId: string): void {
    const { conversationId } = seat.conversation
    const { channel, effects, host, leases } = this.#options
    this.unfollow(conversationId)
    const follower = new Follower(seat.conversation, {
      isDriving: () => seat.driver !== null,
      askAlive: () => channel.post('driver-ask', { conversationId }),
      sleep: (ms, signal) => effects.sleep(ms, signal),
      toolNames: () => host.toolNames(agentId),
      succession: async (isCapable, signal) => {
        await leases.awaitSuccession(conversationId, {
          isCapable,
          isNeeded: () => this.#isNeeded(seat),
          signal,
        })
        await host.succeed(seat, agentId)
      },
      agentId,
    })
    this.#followers.set(conversationId, follower)
    if (seat.driver === null) channel.post('follow-ask', { conversationId })
  }

  unfollow(conversationId: string): void {
    this.#followers.get(conversationId)?.stop()
    this.#followers.delete(conversationId)
  }

  /** The agent's tools changed. */
  toolsChanged(agentId: string): void {
    for (const follower of this.#followers.values())
      if (follower.agentId === agentId) void follower.lookAtTools()
  }

  /** The agent is gone: its tools can't go on with anything. */
  released(agentId: string): void {
    for (const follower of this.#followers.values())
      if (follower.agentId === agentId) follower.stop()
  }

  /** Asks the tab that drives the conversation's run; null when none does. */
  ask(conversationId: string, command: TabCommand): Promise<boolean | null> {
    return this.#commands.ask(conversationId, command)
  }

  /** The page wants to go on with a run: an heir elsewhere leaves it to this tab. */
  want(conversationId: string): void {
    this.#options.channel.post('run-wanted', { conversationId })
  }

  recordChanged(conversationId: string): void {
    this.#options.host.recordsChanged()
    this.#options.channel.post('record-changed', { conversationId })
  }

  #beginFor(conversationId: string, to: string): void {
    const { channel, host } = this.#options
    const seat = host.seatOf(conversationId)
    if (!seat?.driver) return
    const { stream, state } = seat.conversation
    stream.flush()
    this.#followed.add(conversationId)
    channel.post('follow-begin', { conversationId, to, seq: state.seq, live: stream.live })
  }

  /** Asked while nobody else can write: the run is open, does something, and no tab wants it back. */
  async #isNeeded({ conversation }: Seat): Promise<boolean> {
    const { channel, effects } = this.#options
    const { conversationId } = conversation
    let isWanted = false
    const remove = channel.on('run-wanted', (wanted) => {
      if (wanted.conversationId === conversationId) isWanted = true
    })
    const isOpen = async (): Promise<boolean> => {
      await conversation.refresh()
      const { run } = conversation
      return run !== null && run.end === null && decide(run) !== 'wait'
    }
    try {
      if (!(await isOpen())) return false
      await effects.sleep(RELOAD_MS)
      return !isWanted && (await isOpen())
    } finally {
      remove()
    }
  }
}
