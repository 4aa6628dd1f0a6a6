import type { ChatContext } from './context.ts'

/** Local state key: the conversation was deleted while it was on view. */
export function goneKey(conversationId: string): string {
  return `gone:${conversationId}`
}

/** Notices that the conversation on view is deleted, by another page or element. */
export class DeletionWatch {
  /** Id of the last conversation seen with messages. */
  #seen: string | null = null

  /** Runs after each drawing. */
  look({ agent, snapshot, local }: Pick<ChatContext, 'agent' | 'snapshot' | 'local'>): void {
    const { conversationId, messages, status } = snapshot
    if (messages.length > 0) {
      this.#seen = conversationId
      local.set(goneKey(conversationId), undefined)
      return
    }
    if (this.#seen !== conversationId || status === 'loading') return
    this.#seen = null
    // A conversation with a cleared history is also empty, so storage is asked.
    agent.conversations.get(conversationId).then(
      (stored) => stored === null && local.set(goneKey(conversationId), true),
      () => {},
    )
  }
}
