import type { Conversation } from '../index.ts'

/** Resolves once there is something of a conversation to show. */
export function whenShown(conversation: Conversation): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (conversation.getSnapshot().status === 'loading') return
      unsubscribe()
      resolve()
    }
    const unsubscribe = conversation.subscribe(look)
    look()
  })
}
