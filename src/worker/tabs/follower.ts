import type { Live } from '../../protocol/live.ts'
import { isRow, type StreamItem } from '../../protocol/stream.ts'
import type { Conversation } from '../conversation.ts'
import { oneByOne } from '../one-by-one.ts'
import { isDelta } from './check-delta.ts'

/** Between two questions for a sign of life, and how many may stay without one. Milliseconds. */
const ASK_MS = 2500
const MAX_UNANSWERED = 4

export interface FollowerOptions {
  /** The agent that has the conversation open. */
  readonly agentId: string
  /** The run is driven here: nothing of others is taken in. */
  isDriving(): boolean
  toolNames(): Promise<readonly string[]>
  /** Asks the tab that drives the run for a sign of life. */
  askAlive(): void
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Waits until the run is this tab's, and goes on with it. Rejects when the signal aborts. */
  succession(isCapable: () => boolean, signal: AbortSignal): Promise<void>
}

/** A conversation that the page shows while another tab drives it. */
export class Follower {
  readonly agentId: string
  readonly #conversation: Conversation
  readonly #options: FollowerOptions
  /** What comes is taken in one after the other: some of it is read from the store. */
  readonly #inOrder = oneByOne()
  #waiting: AbortController | null = null
  #unanswered = 0
  #tools: ReadonlySet<string> = new Set()

  constructor(conversation: Conversation, options: FollowerOptions) {
    this.agentId = options.agentId
    this.#conversation = conversation
    this.#options = options
  }

  /** Another tab drives the run, and what it publishes from here on follows. */
  begin({ live }: { readonly seq: number; readonly live: Live }): void {
    this.#do(async () => {
      await this.#conversation.refresh()
      this.#conversation.stream.adopt({ ...live, ownership: elsewhere(live.ownership) })
      this.#conversation.publish('joined')
      this.#watch()
    })
  }

  take(items: readonly StreamItem[]): void {
    this.#do(async () => {
      for (const item of items) await this.#take(item)
      this.#conversation.stream.flush()
      this.#watch()
    })
  }

  /** The conversation's rows may have changed in a way that nobody publishes: it was deleted, say. */
  refresh(): void {
    this.#do(() => this.#conversation.refresh())
  }

  /** The tab that drives the run gave a sign of life. */
  alive(): void {
    this.#unanswered = 0
  }

  /** Waits for the run no more. */
  stop(): void {
    this.#waiting?.abort()
    this.#waiting = null
  }

  async lookAtTools(): Promise<void> {
    const names = await this.#options.toolNames().catch(() => [])
    this.#tools = new Set(names)
  }

  #do(work: () => Promise<void>): void {
    // What can't be read now is read at the next message.
    void this.#inOrder(async () => {
      if (!this.#options.isDriving()) await work()
    }).catch(() => undefined)
  }

  async #take(item: StreamItem): Promise<void> {
    const conversation = this.#conversation
    if (isRow(item)) return conversation.takeRow(item)
    if (!isDelta(item)) return
    switch (item.type) {
      case 'ownership-changed':
        return conversation.stream.own(elsewhere(item.ownership))
      // It ended for that tab's handles only.
      case 'run-left':
        return
      default:
        return conversation.stream.delta(item)
    }
  }

  /** Queues for the run while another tab drives it. */
  #watch(): void {
    const { run, stream } = this.#conversation
    const isElsewhere = run?.end === null && stream.live.ownership === 'other-tab'
    if (!isElsewhere) return this.stop()
    if (this.#waiting) return
    const waiting = new AbortController()
    this.#waiting = waiting
    void this.lookAtTools()
    void this.#watchDriver(waiting.signal)
    void this.#options
      .succession(() => this.#isCapable(), waiting.signal)
      .catch(() => undefined)
      .finally(() => {
        if (this.#waiting === waiting) this.#waiting = null
      })
  }

  /** One that gives no sign of life drives nothing. */
  async #watchDriver(signal: AbortSignal): Promise<void> {
    for (this.#unanswered = 0; this.#unanswered < MAX_UNANSWERED; this.#unanswered++) {
      this.#options.askAlive()
      await this.#options.sleep(ASK_MS, signal)
      if (signal.aborted) return
    }
    this.#do(async () => {
      if (this.#conversation.stream.live.ownership !== 'other-tab') return
      this.#conversation.stream.own('none')
      this.#conversation.stream.flush()
    })
  }

  /** The agent has all tools that the run has used. */
  #isCapable(): boolean {
    const { run, state } = this.#conversation
    const used = state.path.flatMap(({ runId, calls }) => (runId === run?.runId ? calls : []))
    return used.every(({ known, toolName }) => !known || this.#tools.has(toolName))
  }
}

function elsewhere(ownership: Live['ownership']): Live['ownership'] {
  return ownership === 'this-tab' ? 'other-tab' : ownership
}
