// Held against the types of version 6, which `npm install ai` chooses on Node 20, by test/unit/ai-sdk/types.test.ts.
import type { ChatTransport, UIMessage } from 'ai-6'
import { useChat } from 'ai-sdk-react-3'
import type { Agent, ConversationSnapshot } from '../../src/index.ts'
import {
  createChatTransport,
  loadUIMessages,
  toUIMessages,
} from '../../src/connect/ai-sdk/index.ts'

declare const agent: Agent
declare const snapshot: ConversationSnapshot

export const transport: ChatTransport<UIMessage> = createChatTransport(agent)
export const messages: UIMessage[] = toUIMessages(snapshot)
export const loaded: Promise<UIMessage[]> = loadUIMessages(agent, 'c')
export const chat = useChat({ id: 'c', messages, transport: createChatTransport(agent) })
export const inferred = useChat({
  messages: toUIMessages(snapshot),
  transport: createChatTransport(agent),
})
