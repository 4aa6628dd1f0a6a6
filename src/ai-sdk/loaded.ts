import type { Agent, Conversation, ConversationSnapshot } from '../index.ts'
import { toUIMessages } from './to-ui-messages.ts'
import type { OffstageUIMessage } from './ui-message.ts'

/** All messages of a conversation, for `messages` of `useChat`, once they are read from the store. */
export async function loadUIMessages(
  agent: Agent,
  conversationId: string,
): Promise<OffstageUIMessage[]> {
  return toUIMessages(await loaded(agent.conversation(conversationId), ({ older }) => older === 0))
}

/** The conversation once it is read, and shown as far as that is asked for. */
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
