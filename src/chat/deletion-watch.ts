import type { ChatContext } from './context.ts'

/** Where it is kept that a conversation was deleted while it was on view. */
export function goneKey(conversationId: string): string {
  return `gone:${conversationId}`
}

/** Notices that the conversation on view is deleted, by another page or element. */
export class DeletionWatch {
  /** The last one that was seen to have messages. */
  #seen: string | null = null

  /** After each drawing. */
  look({ agent, snapshot, local }: Pick<ChatContext, 'agent' | 'snapshot' | 'local'>): void {
    const { conversationId, messages, status } = snapshot
    if (messages.length > 0) {
      this.#seen = conversationId
      local.set(goneKey(conversationId), undefined)
      return
    }
    if (this.#seen !== conversationId || status === 'loading') return
    this.#seen = null
    // One whose history was cleared is empty, too.
    agent.conversations.get(conversationId).then(
      (stored) => stored === null && local.set(goneKey(conversationId), true),
      () => {},
    )
  }
}
