import { OffstageError } from '../protocol/error.ts'
import type { ConversationRecord, JournalBody, JournalEntry } from '../protocol/journal.ts'
import type { Message } from '../protocol/message.ts'
import type { PendingCall } from '../protocol/run.ts'
import type { Effects } from './effects.ts'
import { evolve } from './evolve.ts'
import { MessageLog } from './message-log.ts'
import { oneByOne } from './one-by-one.ts'
import { Patience } from './patience.ts'
import { SentWords } from './sent-words.ts'
import type { RunState } from './state.ts'
import { checkEntry } from './store/check-entry.ts'
import { brokenConversation } from './store/record.ts'
import type { Store } from './store/store.ts'

/**
 * Facts to append, or a decision on them: it is made right before the commit, when nobody else can
 * write any more; null writes nothing.
 */
export type Facts = readonly Fact[] | ((run: RunState | null) => readonly Fact[] | null)

/** Of the run that the append names, if it names none itself. */
export type Fact = JournalBody & { readonly runId?: string | null }

export interface AppendOptions {
  /** Default: the newest run. */
  readonly runId?: string | null
  readonly strict?: boolean
  /** False: refused at once while the storage can't take it. Default true: waits, in a run. */
  readonly waits?: boolean
  /** Tried once: the caller tries again. */
  readonly once?: boolean
}

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
  /** How appends wait for a storage that is full or closed. */
  readonly patience: Patience
  readonly #store: Store
  readonly #effects: Effects
  #log = new MessageLog()
  #sentWords = new SentWords()
  #run: RunState | null = null
  #runEntries: JournalEntry[] = []
  #lastSeq = 0
  #createdAt = 0
  #lease: Lease = { storeId: '', epoch: 0, knownAt: Number.NEGATIVE_INFINITY }
  #fault: string | null = null
  /** Reads and commits never overlap: every entry is folded once, in its place. */
  readonly #inOrder = oneByOne()
  /** A commit that waits keeps only those in line behind it waiting. */
  readonly #inLine = oneByOne()

  constructor(conversationId: string, store: Store, effects: Effects) {
    this.conversationId = conversationId
    this.patience = new Patience(effects)
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

  /** What others than the model said. */
  get sentWords(): SentWords {
    return this.#sentWords
  }

  /** Calls of imported messages that wait for their outputs. */
  get importedCalls(): readonly PendingCall[] {
    return this.#log.importedCalls
  }

  /** The newest claim, and when it was last known to hold. */
  get lease(): Lease {
    return this.#lease
  }

  /** Why the journal can't be folded to its end; nothing is driven or appended then. */
  get fault(): string | null {
    return this.#fault
  }

  hasCallId(toolCallId: string): boolean {
    return this.#log.hasCallId(toolCallId)
  }

  /**
   * Becomes the owner: creates the conversation if need be and wished, and folds what others wrote
   * since. True when there was anything.
   */
  async claim(options: { readonly create?: boolean } = {}): Promise<boolean> {
    const knownAt = this.#effects.monotonic()
    const at = this.#effects.now()
    const { storeId, epoch } = await this.#store.claim(this.conversationId, at, options)
    this.#lease = { storeId, epoch, knownAt }
    const before = this.#lastSeq
    await this.#inOrder(() => this.#catchUp())
    this.refuseBroken()
    return this.#lastSeq !== before
  }

  /** Throws `conversation-broken` when the journal could not be folded to its end. */
  refuseBroken(): void {
    if (this.#fault !== null) throw brokenConversation(this.conversationId, this.#fault)
  }

  /** Folds what was written since the last look, by whoever. */
  async refresh(): Promise<void> {
    // A commit that waits is its owner's: nobody else writes meanwhile.
    if (this.patience.waitsFor === null) await this.#inOrder(() => this.#catchUp())
  }

  /**
   * Commits facts in one transaction, then folds them; false when the decision was to write nothing.
   * Those that may wait are taken one after the other: a commit that fails is tried again, and entries
   * stay in order. One that doesn't wait may come between two tries.
   */
  async append(facts: Facts, options: AppendOptions = {}): Promise<boolean> {
    const { waits = true, once = false } = options
    const { patience } = this
    const commit = (): Promise<boolean> => this.#inOrder(() => this.#commit(facts, options))
    if (once) return commit()
    if (waits) return this.#inLine(() => patience.persist(commit))
    if (patience.waitsFor) throw OffstageError.fromData(patience.waitsFor)
    return patience.persist(commit, { waits })
  }

  async #commit(facts: Facts, options: AppendOptions): Promise<boolean> {
    this.refuseBroken()
    const bodies = typeof facts === 'function' ? facts(this.#run) : facts
    if (bodies === null) return false
    const runId = options.runId === undefined ? (this.#run?.runId ?? null) : options.runId
    const at = this.#effects.now()
    const knownAt = this.#effects.monotonic()
    const placed = await this.#store.append({
      conversationId: this.conversationId,
      epoch: this.#lease.epoch,
      entries: bodies.map((body) => ({ runId, ...body, at })),
      strict: options.strict ?? false,
    })
    this.#lease = { ...this.#lease, knownAt }
    for (const entry of placed) this.#fold(entry)
    return true
  }

  async #catchUp(): Promise<void> {
    let rows = await this.#store.read(this.conversationId, this.#lastSeq)
    if (this.#lastSeq > 0 && !this.#isContinued(rows.record)) {
      this.#reset()
      rows = await this.#store.read(this.conversationId)
    }
    const { record, entries } = rows
    this.#createdAt = record?.createdAt ?? 0
    const found = this.#foldChecked(entries, record)
    this.#fault = found?.fault ?? null
    if (record === null || found?.isNewer === true) return
    // Noted for the list, which reads no journals. Not while it only can't be written.
    if ((record.broken ?? null) !== this.#fault) {
      await this.#store.mark(this.conversationId, this.#fault).catch(() => undefined)
    }
  }

  /** The rows that were folded are the beginning of what the store has now. */
  #isContinued(record: ConversationRecord | null): boolean {
    return (
      this.#fault === null &&
      record !== null &&
      record.broken === undefined &&
      record.createdAt === this.#createdAt &&
      record.lastSeq >= this.#lastSeq
    )
  }

  #reset(): void {
    this.#log = new MessageLog()
    this.#sentWords = new SentWords()
    this.#run = null
    this.#runEntries = []
    this.#lastSeq = 0
    this.#fault = null
  }

  /** Folds up to the first row that can't be; returns what is wrong with it. */
  #foldChecked(
    rows: readonly unknown[],
    record: ConversationRecord | null,
  ): { readonly fault: string; readonly isNewer: boolean } | null {
    for (const row of rows) {
      const entry = checkEntry(row, this.#lastSeq + 1)
      if ('fault' in entry) return entry
      this.#fold(entry)
    }
    if (record === null || record.lastSeq === this.#lastSeq) return null
    const fault = record.broken ?? `Row ${Math.min(this.#lastSeq, record.lastSeq) + 1} is missing.`
    return { fault, isNewer: false }
  }

  #fold(entry: JournalEntry): void {
    this.#lastSeq = entry.seq
    if (entry.type === 'run-started') this.#runEntries = []
    this.#run = evolve(this.#run, entry)
    if (entry.runId !== null && entry.runId === this.#run?.runId) this.#runEntries.push(entry)
    this.#log.fold(entry)
    this.#sentWords.fold(entry)
  }
}
