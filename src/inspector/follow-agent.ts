import type { Agent, Run } from '../index.ts'
import type { TimedEvent } from './parts/event-book.ts'
import { Journal } from './parts/journal.ts'
import { Recording } from './recording.ts'

/** Rows are read at most this often. Milliseconds. */
const BETWEEN_READS = 120
/** Events of so many runs are kept, the newest ones. */
const MOST_RUNS = 100

interface SeenRun {
  readonly conversationId: string
  readonly events: TimedEvent[]
}

/** Records one conversation of an agent as it goes on, and the events of the agent's runs from now on. */
export class FollowAgent {
  readonly #changed: () => void
  readonly #runs = new Map<string, SeenRun>()
  #agent: Agent | null = null
  #recording: Recording | null = null
  #ends: (() => void)[] = []
  #offAgent: readonly (() => void)[] = []
  /** Of the conversation: none before its rows were read once. */
  #hasRows = false

  constructor(changed: () => void) {
    this.#changed = changed
  }

  get recording(): Recording | null {
    return this.#recording
  }

  /** Begins to keep the events of the agent's runs, and to follow its lists; null: of none. */
  attach(agent: Agent | null): void {
    if (agent === this.#agent) return
    this.leave()
    this.#runs.clear()
    this.#agent = agent
    for (const off of this.#offAgent) off()
    this.#offAgent = agent
      ? [
          agent.on('run', ({ run }) => void this.#see(run)),
          agent.conversations.subscribe(this.#changed),
          agent.tools.subscribe(this.#changed),
        ]
      : []
  }

  follow(conversationId: string | null): void {
    if (this.#recording?.journal.conversationId === conversationId) return
    this.leave()
    const agent = this.#agent
    if (!agent || conversationId === null) return
    const recording = new Recording(new Journal(conversationId))
    this.#recording = recording
    this.#hasRows = false
    const reader = new RowReader(agent, recording, {
      took: (hasEnded) => this.#took(recording, hasEnded),
      isSeen: (runId) => this.#runs.has(runId),
    })
    this.#ends = [
      agent.conversation(conversationId).subscribe(() => reader.read()),
      () => reader.stop(),
    ]
    reader.read()
  }

  /** Follows no conversation any more. */
  leave(): void {
    for (const end of this.#ends) end()
    this.#ends = []
    this.#recording = null
  }

  #took(recording: Recording, hasEnded: boolean): void {
    if (recording !== this.#recording) return
    if (hasEnded && !this.#hasRows) {
      this.#hasRows = true
      const { conversationId } = recording.journal
      for (const seen of this.#runs.values())
        if (seen.conversationId === conversationId)
          for (const timed of seen.events) recording.addEvent(timed, true)
    }
    this.#changed()
  }

  async #see(run: Run): Promise<void> {
    const { runId, conversationId } = run
    const seen: SeenRun = { conversationId, events: [] }
    this.#runs.set(runId, seen)
    const oldest = this.#runs.keys().next().value
    if (this.#runs.size > MOST_RUNS && oldest !== undefined) this.#runs.delete(oldest)
    for await (const event of run) {
      // Another agent was attached since, or this one again: its rows tell of the run.
      if (this.#runs.get(runId) !== seen) return
      const timed = { at: Date.now(), event }
      seen.events.push(timed)
      const recording = this.#recording
      if (recording?.journal.conversationId !== conversationId || !this.#hasRows) continue
      recording.addEvent(timed, true)
      this.#changed()
    }
  }
}

/** Reads rows as they are there, one question at a time. */
class RowReader {
  readonly #agent: Agent
  readonly #recording: Recording
  readonly #took: (hasEnded: boolean) => void
  readonly #isSeen: (runId: string) => boolean
  #isReading = false
  #isWanted = false
  #isStopped = false

  constructor(
    agent: Agent,
    recording: Recording,
    { took, isSeen }: { took: (hasEnded: boolean) => void; isSeen: (runId: string) => boolean },
  ) {
    this.#agent = agent
    this.#recording = recording
    this.#took = took
    this.#isSeen = isSeen
  }

  stop(): void {
    this.#isStopped = true
  }

  read(): void {
    this.#isWanted = true
    if (!this.#isReading) void this.#readAll()
  }

  async #readAll(): Promise<void> {
    this.#isReading = true
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false
      // What can't be read now may be at the next change.
      const hasMore = await this.#readSome().catch(() => false)
      if (hasMore) this.#isWanted = true
      else await new Promise((resolve) => setTimeout(resolve, BETWEEN_READS))
    }
    this.#isReading = false
  }

  async #readSome(): Promise<boolean> {
    const { journal } = this.#recording
    const after = journal.rows.length
    const found = await this.#agent.conversations.rows(journal.conversationId, { after })
    if (this.#isStopped) return false
    for (const row of found?.rows ?? [])
      this.#recording.addRow(row, row.runId !== null && this.#isSeen(row.runId))
    if (found?.broken !== undefined) journal.break(found.broken)
    const hasMore = found?.hasMore === true && journal.rows.length > after
    this.#took(!hasMore)
    return hasMore
  }
}
