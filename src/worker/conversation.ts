import { OffstageError } from '../protocol/error.ts'
import type { JournalBody, JournalEntry } from '../protocol/journal.ts'
import type { Message } from '../protocol/message.ts'
import type { PendingCall } from '../protocol/run.ts'
import type { Effects } from './effects.ts'
import { evolve } from './evolve.ts'
import { MessageLog } from './message-log.ts'
import type { RunState } from './state.ts'
import type { Store } from './store/store.ts'

/** How often a failed commit is tried again, and how long to wait before it. Milliseconds. */
const RETRY_DELAYS = [50, 250, 1000]

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
  #epoch = 0
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

  /** Calls of imported messages that wait for their outputs. */
  get importedCalls(): readonly PendingCall[] {
    return this.#log.importedCalls
  }

  get epoch(): number {
    return this.#epoch
  }

  hasCallId(toolCallId: string): boolean {
    return this.#log.hasCallId(toolCallId)
  }

  /**
   * Becomes the owner: creates the conversation if need be, and folds what others wrote since. True
   * when there was anything.
   */
  async claim(): Promise<boolean> {
    const record = await this.#store.claim(this.conversationId, this.#effects.now())
    this.#epoch = record.epoch
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
      const append = { conversationId: this.conversationId, epoch: this.#epoch, entries }
      const placed = await this.#commit({ ...append, strict: options.strict ?? false })
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
