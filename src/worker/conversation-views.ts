import { olderThan } from '../conversation/checkpoint.ts'
import { leafUnder } from '../conversation/tree.ts'
import type { ConversationScope } from '../protocol/scope.ts'
import type { OlderMessages } from '../protocol/state.ts'
import type { ActiveConversation } from './active-conversation.ts'
import { busy } from './busy.ts'
import type { Conversation } from './conversation.ts'
import type { ConversationRegistry } from './conversation-registry.ts'

/** Conversations that the page shows. Doesn't run anything in them. */
export class ConversationViews {
  readonly #registry: ConversationRegistry
  readonly #onOpened: (active: ActiveConversation, agentId: string) => void
  /** The agent that shows each conversation. */
  readonly #joiners = new Map<Conversation, string>()

  constructor(
    registry: ConversationRegistry,
    onOpened: (active: ActiveConversation, agentId: string) => void,
  ) {
    this.#registry = registry
    this.#onOpened = onOpened
  }

  async join(scope: ConversationScope): Promise<void> {
    const active = await this.#registry.take(scope)
    const { conversation } = active
    await conversation.preview()
    await conversation.refresh()
    await conversation.drafts.show(conversation.run)
    conversation.stream.isJoined = true
    this.#joiners.set(conversation, scope.agentId)
    conversation.publish('joined')
    active.tabs.follow(active, scope.agentId)
    // If the check for other devices fails now, a later one finds them.
    void active.lookElsewhere().catch(() => undefined)
    this.#onOpened(active, scope.agentId)
  }

  /** Closes all views of an agent that is gone. */
  release(agentId: string): void {
    for (const [conversation, joiner] of this.#joiners)
      if (joiner === agentId) this.#leave(conversation)
  }

  /** Saves the output that models are writing, because the page may never come back. */
  keepDrafts(): void {
    for (const { conversation } of this.#registry.all()) void conversation.drafts.keep()
  }

  #leave(conversation: Conversation): void {
    conversation.stream.isJoined = false
    this.#joiners.delete(conversation)
  }

  async leave(scope: ConversationScope): Promise<void> {
    const { conversation, tabs } = await this.#registry.take(scope)
    this.#leave(conversation)
    tabs.unfollow(scope.conversationId)
  }

  async olderMessages(
    scope: ConversationScope & { readonly before: string; readonly count: number },
  ): Promise<OlderMessages | null> {
    const { conversation } = await this.#registry.take(scope)
    return olderThan(conversation.state, scope.before, scope.count)
  }

  async switchBranch(scope: ConversationScope & { readonly messageId: string }): Promise<boolean> {
    const { conversationId, messageId } = scope
    const active = await this.#registry.take(scope)
    const { conversation } = active
    return active.inLaneNow(async () => {
      if (active.driver) throw busy(conversationId)
      await conversation.refresh()
      if (leafUnder(conversation.state, messageId) === null) return false
      return active.owning(() =>
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
