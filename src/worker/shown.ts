import { olderThan } from '../conversation/checkpoint.ts'
import { leafUnder } from '../conversation/tree.ts'
import type { ConversationScope } from '../protocol/scope.ts'
import type { OlderMessages } from '../protocol/state.ts'
import { busy } from './busy.ts'
import type { Conversation } from './conversation.ts'
import type { Seats } from './seats.ts'

/** The conversations that the page shows, apart from running anything in them. */
export class Shown {
  readonly #seats: Seats
  /** The agents in whose names conversations are shown. */
  readonly #joiners = new Map<Conversation, string>()

  constructor(seats: Seats) {
    this.#seats = seats
  }

  async join(scope: ConversationScope): Promise<void> {
    const seat = await this.#seats.take(scope)
    const { conversation } = seat
    await conversation.preview()
    await conversation.refresh()
    conversation.stream.isJoined = true
    this.#joiners.set(conversation, scope.agentId)
    conversation.publish('joined')
    seat.tabs.follow(seat, scope.agentId)
  }

  /** The agent is gone: nothing is shown in its name any more. */
  release(agentId: string): void {
    for (const [conversation, joiner] of this.#joiners)
      if (joiner === agentId) this.#leave(conversation)
  }

  #leave(conversation: Conversation): void {
    conversation.stream.isJoined = false
    this.#joiners.delete(conversation)
  }

  async leave(scope: ConversationScope): Promise<void> {
    const { conversation, tabs } = await this.#seats.take(scope)
    this.#leave(conversation)
    tabs.unfollow(scope.conversationId)
  }

  async olderMessages(
    scope: ConversationScope & { readonly before: string; readonly count: number },
  ): Promise<OlderMessages | null> {
    const { conversation } = await this.#seats.take(scope)
    return olderThan(conversation.state, scope.before, scope.count)
  }

  async switchBranch(scope: ConversationScope & { readonly messageId: string }): Promise<boolean> {
    const { conversationId, messageId } = scope
    const seat = await this.#seats.take(scope)
    const { conversation } = seat
    return seat.inLaneNow(async () => {
      if (seat.driver) throw busy(conversationId)
      await conversation.refresh()
      if (leafUnder(conversation.state, messageId) === null) return false
      return seat.owning(() =>
        conversation.append(
          (run) => {
            if (run?.end === null) throw busy(conversationId)
            const to = leafUnder(conversation.state, messageId)
            return to === null ? null : [{ type: 'head-moved', to }]
          },
          { runId: null },
        ),
      )
    })
  }
}
