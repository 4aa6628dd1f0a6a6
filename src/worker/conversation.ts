import { OffstageError } from '../protocol/error.ts'
import type { JournalBody, JournalEntry } from '../protocol/journal.ts'
import type { Message } from '../protocol/message.ts'
import type { Effects } from './effects.ts'
import { evolve } from './evolve.ts'
import { MessageLog } from './message-log.ts'
import type { RunState } from './state.ts'
import type { Store } from './store/store.ts'

/** How often a failed commit is tried again, and how long to wait before it. Milliseconds. */
const RETRY_DELAYS = [50, 250, 1000]

export interface Lease {
  /** Names the store that counts the epochs. */
  readonly storeId: string
  readonly epoch: number
  /** On the worker's monotonic clock. Milliseconds. */
  readonly knownAt: number
}

/**
 * One conversation in memory: its journal folded into the newest run's state and the messages.
 * The fold happens only after the commit, so what is here is what a reload would find.
 */
export class Conversation {
  readonly conversationId: string
  readonly #store: Store
  readonly #effects: Effects
  #log = new MessageLog()
  #run: RunState | null = null
  #runEntries: JournalEntry[] = []
  #lastSeq = 0
  #lease = { storeId: '', epoch: 0, knownAt: Number.NEGATIVE_INFINITY }
  #queue: Promise<unknown> = Promise.resolve()

  constructor(conversationId: string, store: Store, effects: Effects) {
    this.conversationId = conversationId
    this.#store = store
    this.#effects = effects
  }

  /** The newest run, ended or not; null before the first. */
  get run(): RunState | null {
    return this.#run
  }

  /** The entries of the newest run, and what was appended to it after its end. */
  get runEntries(): readonly JournalEntry[] {
    return this.#runEntries
  }

  get messages(): readonly Message[] {
    return this.#log.messages
  }

  /** The newest claim, and when it was last known to hold. */
  get lease(): Lease {
    return this.#lease
  }

  hasCallId(toolCallId: string): boolean {
    return this.#log.hasCallId(toolCallId)
  }

  /**
   * Becomes the owner: creates the conversation if need be, and folds what others wrote since. True
   * when there was anything.
   */
  async claim(): Promise<boolean> {
    const knownAt = this.#effects.monotonic()
    const { storeId, epoch } = await this.#store.claim(this.conversationId, this.#effects.now())
    this.#lease = { storeId, epoch, knownAt }
    const before = this.#lastSeq
    await this.refresh()
    return this.#lastSeq > before
  }

  /** Folds what was written since the last look, by whoever. */
  refresh(): Promise<void> {
    return this.#inOrder(async () => {
      const entries = await this.#store.read(this.conversationId, this.#lastSeq)
      for (const entry of entries) this.#fold(entry)
    })
  }

  /**
   * Commits facts of the run (default: the newest one) in one transaction, then folds them. Appends
   * are taken one after the other. A commit that fails is tried again; entries stay in order.
   */
  append(
    bodies: readonly JournalBody[],
    options: { readonly runId?: string | null; readonly strict?: boolean } = {},
  ): Promise<void> {
    const runId = options.runId === undefined ? (this.#run?.runId ?? null) : options.runId
    const at = this.#effects.now()
    const entries = bodies.map((body) => ({ ...body, runId, at }))
    return this.#inOrder(async () => {
      const { epoch } = this.#lease
      const append = { conversationId: this.conversationId, epoch, entries }
      const knownAt = this.#effects.monotonic()
      const placed = await this.#commit({ ...append, strict: options.strict ?? false })
      this.#lease = { ...this.#lease, knownAt }
      for (const entry of placed) this.#fold(entry)
    })
  }

  /** Reads and commits never overlap: every entry is folded once, in its place. */
  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work)
    this.#queue = done.catch(() => undefined)
    return done
  }

  async #commit(append: Parameters<Store['append']>[0]): Promise<readonly JournalEntry[]> {
    for (const delay of RETRY_DELAYS) {
      try {
        return await this.#store.append(append)
      } catch (error) {
        if (OffstageError.is(error) && error.code === 'ownership-lost') throw error
        await this.#effects.sleep(delay)
      }
    }
    return this.#store.append(append)
  }

  #fold(entry: JournalEntry): void {
    this.#lastSeq = entry.seq
    if (entry.type === 'run-started') this.#runEntries = []
    this.#run = evolve(this.#run, entry)
    if (entry.runId !== null && entry.runId === this.#run?.runId) this.#runEntries.push(entry)
    this.#log.fold(entry)
  }
}
