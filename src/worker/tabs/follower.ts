import { NOTHING_LIVE, refused } from '../../conversation/live.ts'
import { whenAborted } from '../../lib/abort.ts'
import type { Live } from '../../protocol/live.ts'
import type { Conversation } from '../conversation.ts'
import { oneByOne } from '../../lib/one-by-one.ts'
import type { Succession } from '../ownership/succession.ts'
import type { ShownDelta } from './check-live.ts'
import { BEAT_MS, LOOK_EVERY } from './driving-beacon.ts'
import { isStillLive, stillLive } from './still-live.ts'
import type { Driving } from './tab-messages.ts'

/** Beats without a sign of life, after which nobody drives the run. */
const MAX_MISSED = 4

export interface FollowerOptions {
  /** The agent that has the conversation open. */
  readonly agentId: string
  /** The run is driven here: nothing of others is taken in. */
  isDriving(): boolean
  toolNames(): Promise<readonly string[]>
  /** Whoever drives the run is notified that it is followed. */
  ask(isBehind: boolean): void
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Nobody in this browser drives the run: another device may. */
  lookElsewhere(): Promise<void>
  /** Calls back once the tab drives the run no more. Aborting what is returned ends the watch. */
  watch(tabId: string, onGone: () => void): AbortController
  /** Waits until the run is this tab's, and goes on with it. Rejects when the signal aborts. */
  succeed(succession: Omit<Succession, 'isNeeded'>): Promise<void>
}

type Driver = Omit<Driving, 'conversationId'> & { readonly from: string }

/** A conversation that the page shows, whoever drives its run. */
export class Follower {
  readonly agentId: string
  readonly conversation: Conversation
  readonly #options: FollowerOptions
  readonly #life = new AbortController()
  /** What comes is taken in one after the other: some of it is read from the store. */
  readonly #inOrder = oneByOne()
  #driver: Driver | null = null
  #isNew = true
  #missed = 0
  /** Asked already for where the driver stands. */
  #isAsking = false
  #watch: AbortController | null = null
  #heir: AbortController | null = null
  /** The heir is notified that nobody drives the run any more. */
  #rouse = (): void => undefined
  #isRoused = false
  #tools: ReadonlySet<string> = new Set()

  constructor(conversation: Conversation, options: FollowerOptions) {
    this.agentId = options.agentId
    this.conversation = conversation
    this.#options = options
  }

  /** The tab that drives the run; null: no other one does; undefined: none has answered yet. */
  get driver(): string | null | undefined {
    return this.#driver?.from ?? (this.#isNew ? undefined : null)
  }

  async begin(): Promise<void> {
    const { signal } = this.#life
    this.ask()
    for (let beat = 1; ; beat++) {
      await this.#options.sleep(BEAT_MS, signal)
      if (signal.aborted) return
      this.#isNew = false
      this.#isAsking = false
      if (this.#isElsewhere && ++this.#missed >= MAX_MISSED) this.#lost()
      if (beat % LOOK_EVERY === 0) this.refresh()
    }
  }

  /** Has whoever drives the run say where it stands. */
  ask(): void {
    if (this.#isAsking || this.#options.isDriving()) return
    this.#isAsking = true
    this.#options.ask(true)
  }

  /** Nobody looks any more. */
  stop(): void {
    this.#life.abort()
    this.leave()
    if (!this.#options.isDriving()) this.conversation.stream.adopt(NOTHING_LIVE)
  }

  /** Another tab's run is waited for and shown no more: this one drives, or its agent is gone. */
  leave(): void {
    this.#setDriver(null)
    this.#heir?.abort()
    this.#heir = null
  }

  driven(from: string, { epoch, sent }: Driving): void {
    if (this.#isOutranked(from, epoch)) return
    const driver = this.#driver
    if (driver?.from === from && driver.epoch <= epoch) {
      this.#missed = 0
      if (driver.sent === sent) return this.#options.ask(false)
    }
    this.#isAsking = false
    this.ask()
  }

  /** Another tab drives the run, and what it publishes from here on follows. */
  join(from: string, { epoch, sent, live }: Driving & { readonly live: Live }): void {
    if (this.#isOutranked(from, epoch)) return
    this.#setDriver({ from, epoch, sent })
    this.#isNew = false
    this.#missed = 0
    this.#isAsking = false
    this.#do(async () => {
      const { conversation } = this
      await conversation.refresh()
      this.#adopt(stillLive(live, conversation.run))
      conversation.publish('joined')
      this.#await()
    })
  }

  take(
    from: string,
    { sent, isStored, deltas }: Driving & { isStored: boolean; deltas: readonly ShownDelta[] },
  ): void {
    const driver = this.#driver
    if (driver?.from !== from) return this.ask()
    if (sent <= driver.sent) return
    if (sent > driver.sent + 1) return this.ask()
    this.#driver = { ...driver, sent }
    this.#missed = 0
    this.#do(async () => {
      const { conversation } = this
      const { stream } = conversation
      await stream.together(async () => {
        if (isStored) await conversation.refresh()
        for (const delta of deltas) if (isStillLive(delta, conversation.run)) stream.delta(delta)
      })
      this.#await()
    })
  }

  /** That tab drives it no more. */
  undriven(from: string): void {
    if (this.#driver?.from === from) this.#lost()
  }

  /** A run that was taken over from this tab is elsewhere, too, before the other one says so. */
  get #isElsewhere(): boolean {
    return this.#driver !== null || this.conversation.stream.live.ownership === 'other-tab'
  }

  #lost(): void {
    this.#setDriver(null)
    this.#isAsking = false
    this.#do(async () => {
      const { conversation } = this
      await conversation.refresh()
      // If no other tab has claimed the run that this tab lost, this tab may resume it itself.
      this.#await()
      this.#adopt(NOTHING_LIVE)
      await conversation.drafts.show(conversation.run)
      conversation.publish('joined')
      if (conversation.run?.end !== null) return
      // Whoever drives it all the same says so, before an heir takes it up.
      this.ask()
      this.#isRoused = true
      this.#rouse()
      // A store that doesn't answer keeps no heir waiting.
      void this.#options.lookElsewhere().catch(() => undefined)
    })
  }

  #setDriver(driver: Driver | null): void {
    if (driver?.from !== this.#driver?.from) {
      this.#watch?.abort()
      this.#watch = driver && this.#options.watch(driver.from, () => this.undriven(driver.from))
    }
    this.#driver = driver
  }

  /** A run that was refused here is no other tab's business, and is shown on. */
  #adopt(live: Live): void {
    const { stream } = this.conversation
    stream.adopt({ ...live, left: refused(stream.live) })
  }

  /** The conversation's rows may have changed in a way that nobody publishes: it was deleted, say. */
  refresh(): void {
    this.#do(async () => {
      await this.conversation.refresh()
      this.#await()
    })
  }

  async lookAtTools(): Promise<void> {
    this.#tools = new Set(await this.#options.toolNames().catch(() => []))
  }

  /** One that claimed the run later drives it. */
  #isOutranked(from: string, epoch: number): boolean {
    if (this.#options.isDriving()) return true
    return this.#driver !== null && this.#driver.from !== from && epoch < this.#driver.epoch
  }

  #do(work: () => Promise<void>): void {
    // What can't be read now is read at the next message.
    void this.#inOrder(async () => {
      if (!this.#options.isDriving() && !this.#life.signal.aborted) await work()
    }).catch(() => undefined)
  }

  /** Queues for a run that another tab drives or drove, until it has ended. */
  #await(): void {
    const { run } = this.conversation
    if (run?.end !== null) {
      this.#heir?.abort()
      this.#heir = null
      // Whoever goes on with the run that called goes on with it, too.
    } else if (this.#isElsewhere && !this.#heir && !run.forCall) void this.#inherit()
  }

  async #inherit(): Promise<void> {
    const heir = new AbortController()
    this.#heir = heir
    await this.lookAtTools()
    try {
      await this.#options.succeed({
        isCapable: () => this.#isCapable(),
        whenRoused: (signal) => this.#whenRoused(signal),
        signal: heir.signal,
      })
    } catch {
      // Not wished any more, or it could not be begun: a person may resume it.
    } finally {
      if (this.#heir === heir) this.#heir = null
    }
  }

  async #whenRoused(signal: AbortSignal): Promise<void> {
    const roused = new Promise<void>((resolve) => (this.#rouse = resolve))
    if (!this.#isRoused) await Promise.race([roused, whenAborted(signal)])
    this.#isRoused = false
  }

  /**
   * The agent has all tools that the run has used. By their names: a call that was decided by another
   * definition is decided anew.
   */
  #isCapable(): boolean {
    const { run, state } = this.conversation
    const used = state.path.flatMap(({ runId, calls }) => (runId === run?.runId ? calls : []))
    return used.every(({ known, toolName }) => !known || this.#tools.has(toolName))
  }
}
