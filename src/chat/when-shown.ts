import type { Conversation } from '../index.ts'

/** Resolves once the conversation is loaded. */
export function whenShown(conversation: Conversation): Promise<void> {
  return new Promise((resolve) => {
    let leave = (): void => undefined
    const look = (): void => {
      if (conversation.getSnapshot().status === 'loading') return
      leave()
      resolve()
    }
    leave = conversation.subscribe(look)
    look()
  })
}
