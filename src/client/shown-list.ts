import type { ConversationRecord } from '../protocol/conversation.ts'
import type { AgentParts } from './agent-parts.ts'
import { Notifier } from './notifier.ts'
import type { Listeners, Source } from './snapshot-store.ts'

/** An agent's view of its store: the conversations, newest first. */
export class ShownList implements Source<readonly ConversationRecord[]> {
  readonly #agent: AgentParts
  readonly #listeners: Listeners
  readonly #notifier: Notifier
  #records: readonly ConversationRecord[]
  /** The list may be out of date. */
  #isStale = true
  #isReading = false

  constructor(agent: AgentParts, first: readonly ConversationRecord[], listeners: Listeners) {
    this.#records = first
    this.#agent = agent
    this.#listeners = listeners
    this.#notifier = new Notifier(listeners)
    agent.lists.add(this)
  }

  read(): readonly ConversationRecord[] {
    return this.#records
  }

  attend(): void {
    void this.#refresh()
  }

  /** Called when conversations of the store changed, or may have. */
  changed(): void {
    this.#isStale = true
    if (this.#listeners.size > 0) void this.#refresh()
  }

  async #refresh(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#isStale && !this.#agent.signal.aborted) {
        this.#isStale = false
        this.#show(await this.#agent.ask('listConversations', this.#agent.scope()))
      }
    } catch {
      this.#isStale = true
    } finally {
      this.#isReading = false
    }
  }

  #show(records: readonly ConversationRecord[]): void {
    const known = new Map(this.#records.map((record) => [record.conversationId, record]))
    const next = records.map((record) => {
      const before = known.get(record.conversationId)
      return before && JSON.stringify(before) === JSON.stringify(record) ? before : record
    })
    const { length } = this.#records
    if (next.length === length && next.every((record, at) => record === this.#records[at])) return
    this.#records = next
    this.#notifier.changed()
  }
}
