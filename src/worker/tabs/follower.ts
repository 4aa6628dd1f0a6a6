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

/** Missed beats after which the driver counts as gone. */
const MAX_MISSED = 4

export interface FollowerOptions {
  /** The agent that has the conversation open. */
  readonly agentId: string
  /** Whether the run is driven here. Messages of other tabs are ignored then. */
  isDriving(): boolean
  toolNames(): Promise<readonly string[]>
  /** Tells the driver that this tab follows. `isBehind`: also asks for the current state. */
  ask(isBehind: boolean): void
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Checks whether another device drives the run, when no tab of this browser does. */
  lookElsewhere(): Promise<void>
  /** Calls back once the tab no longer drives the run. Abort the returned controller to stop watching. */
  watch(tabId: string, onGone: () => void): AbortController
  /** Waits until this tab may drive the run, then resumes it. Rejects when the signal aborts. */
  succeed(succession: Omit<Succession, 'isNeeded'>): Promise<void>
}

type Driver = Omit<Driving, 'conversationId'> & { readonly from: string }

/** Keeps a conversation that the page shows up to date while another tab drives its run. */
export class Follower {
  readonly agentId: string
  readonly conversation: Conversation
  readonly #options: FollowerOptions
  readonly #life = new AbortController()
  /** Handles messages one at a time: some of them read the store. */
  readonly #inOrder = oneByOne()
  #driver: Driver | null = null
  #isNew = true
  #missed = 0
  /** The driver was already asked for its current state. */
  #isAsking = false
  #watch: AbortController | null = null
  #heir: AbortController | null = null
  /** Wakes the heir when nobody drives the run any more. */
  #rouse = (): void => undefined
  #isRoused = false
  #tools: ReadonlySet<string> = new Set()

  constructor(conversation: Conversation, options: FollowerOptions) {
    this.agentId = options.agentId
    this.conversation = conversation
    this.#options = options
  }

  /** The tab that drives the run. Null if no other tab does, undefined if none has answered yet. */
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

  /** Asks the driver for its current state. */
  ask(): void {
    if (this.#isAsking || this.#options.isDriving()) return
    this.#isAsking = true
    this.#options.ask(true)
  }

  /** Stops following. The page no longer shows the conversation. */
  stop(): void {
    this.#life.abort()
    this.leave()
    if (!this.#options.isDriving()) this.conversation.stream.adopt(NOTHING_LIVE)
  }

  /** Stops waiting for another tab's run and showing it: this tab drives it, or the agent is gone. */
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

  /** Starts with the driver's current state. Its later items come to `take`. */
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

  /** Handles that a tab no longer drives the run. */
  undriven(from: string): void {
    if (this.#driver?.from === from) this.#lost()
  }

  /**
   * Whether another tab drives the run. True for a run just taken from this tab, even before the new driver announces
   * itself.
   */
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
      // A driver that is alive after all answers this before an heir resumes the run.
      this.ask()
      this.#isRoused = true
      this.#rouse()
      // Not awaited, so that an unreachable store doesn't delay the heir.
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

  /** Takes the live state of another tab. Keeps a run that was refused here, which only this tab shows. */
  #adopt(live: Live): void {
    const { stream } = this.conversation
    stream.adopt({ ...live, left: refused(stream.live) })
  }

  /** Reads the conversation again: it may have changed without an announcement, such as when it was deleted. */
  refresh(): void {
    this.#do(async () => {
      await this.conversation.refresh()
      this.#await()
    })
  }

  async lookAtTools(): Promise<void> {
    this.#tools = new Set(await this.#options.toolNames().catch(() => []))
  }

  /** Whether to ignore a tab: this tab drives the run, or one with a newer claim does. */
  #isOutranked(from: string, epoch: number): boolean {
    if (this.#options.isDriving()) return true
    return this.#driver !== null && this.#driver.from !== from && epoch < this.#driver.epoch
  }

  #do(work: () => Promise<void>): void {
    // A failed read is repeated at the next message.
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
      // Child runs have no heirs: the new owner of the parent run resumes them.
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
      // Waiting was cancelled, or resuming failed: a person may still resume the run.
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
   * Whether the agent has all tools that the run has used. Compares only names: a call that was decided by another
   * definition is decided again.
   */
  #isCapable(): boolean {
    const { run, state } = this.conversation
    const used = state.path.flatMap(({ runId, calls }) => (runId === run?.runId ? calls : []))
    return used.every(({ known, toolName }) => !known || this.#tools.has(toolName))
  }
}
