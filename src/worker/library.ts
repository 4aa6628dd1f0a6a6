import type { AgentScope, ConversationScope } from '../protocol/scope.ts'
import { pendingOf } from '../conversation/pending.ts'
import type { ConversationRecord, StoredConversation } from '../protocol/conversation.ts'
import { OffstageError } from '../protocol/error.ts'
import { busy } from './busy.ts'
import type { Seats } from './seats.ts'

/** The stored conversations, apart from running anything in them. */
export class Library {
  readonly #seats: Seats

  constructor(seats: Seats) {
    this.#seats = seats
  }

  async listConversations(
    scope: AgentScope & { readonly unfinished?: boolean },
  ): Promise<ConversationRecord[]> {
    const records = await (await this.#seats.store(scope)).list()
    return scope.unfinished ? records.filter((record) => record.openRunId !== null) : records
  }

  /** A broken one up to its fault. */
  async getConversation(scope: ConversationScope): Promise<StoredConversation | null> {
    const record = await (await this.#seats.store(scope)).get(scope.conversationId)
    if (record === null) return null
    const { conversation } = await this.#seats.take(scope)
    await conversation.refresh()
    const { fault, messages } = conversation
    if (fault !== null) return { ...record, broken: fault, messages: [...messages], pending: [] }
    const parked = conversation.parkedBy
    return {
      ...record,
      messages: [...messages],
      pending: [...pendingOf(conversation.state)],
      ...(parked && { parked }),
    }
  }

  async renameConversation(
    scope: ConversationScope & { readonly title: string },
  ): Promise<boolean> {
    const { conversationId, title } = scope
    if (typeof title !== 'string') {
      throw new OffstageError('invalid-input', 'The title of a conversation must be a string.')
    }
    const isKnown = await (await this.#seats.store(scope)).rename(conversationId, title)
    if (isKnown) this.#seats.tabs(scope).recordChanged(conversationId)
    return isKnown
  }

  /** What runs in it, or is about to, is aborted first. */
  async deleteConversation(scope: ConversationScope): Promise<boolean> {
    const seat = await this.#seats.take(scope)
    const reason = 'conversation deleted'
    await seat.discard(reason)
    return seat.inLane(async () => {
      await seat.discard(reason)
      const wasKnown = await (await this.#seats.store(scope)).delete(scope.conversationId)
      if (wasKnown) this.#seats.tabs(scope).recordChanged(scope.conversationId)
      await seat.conversation.refresh()
      return wasKnown
    })
  }

  async clearHistory(scope: ConversationScope): Promise<boolean> {
    const { conversationId } = scope
    if ((await (await this.#seats.store(scope)).get(conversationId)) === null) return false
    const seat = await this.#seats.take(scope)
    return seat.inLaneNow(async () => {
      const { conversation } = seat
      if (seat.driver) throw busy(conversationId)
      await seat.owning(() =>
        conversation.append(
          (run) => {
            if (run?.end === null) throw busy(conversationId)
            return [{ type: 'history-cleared' }]
          },
          { runId: null },
        ),
      )
      // Whoever asked for it sees it done.
      conversation.stream.flush()
      return true
    })
  }
}
