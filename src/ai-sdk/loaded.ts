import type { Agent, Conversation, ConversationSnapshot } from '../index.ts'
import { toUIMessages } from './to-ui-messages.ts'
import type { OffstageUIMessage } from './ui-message.ts'

/**
 * Resolves to all messages of a conversation, once they are read from the store. Pass them to `useChat` as `messages`.
 */
export async function loadUIMessages(
  agent: Agent,
  conversationId: string,
): Promise<OffstageUIMessage[]> {
  return toUIMessages(await loaded(agent.conversation(conversationId), ({ older }) => older === 0))
}

/** Resolves to the snapshot once it has loaded and `isEnough` accepts it, or once loading has failed. */
export function loaded(
  conversation: Conversation,
  isEnough: (snapshot: ConversationSnapshot) => boolean = () => true,
): Promise<ConversationSnapshot> {
  return new Promise((resolve) => {
    let unsubscribe = (): void => undefined
    const check = (): void => {
      const snapshot = conversation.getSnapshot()
      if (snapshot.status === 'loading' || !(snapshot.error || isEnough(snapshot))) return
      resolve(snapshot)
      unsubscribe()
    }
    unsubscribe = conversation.subscribe(check)
    check()
  })
}
