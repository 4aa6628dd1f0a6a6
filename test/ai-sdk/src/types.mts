// Held against the AI SDK's own types by test/unit/ai-sdk/types.test.ts: ours are structural.
import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider'
import { useChat } from '@ai-sdk/react'
import type { ChatTransport, UIMessage } from 'ai'
import type { Agent, ConversationSnapshot } from '../../src/index.ts'
import {
  createChatTransport,
  loadUIMessages,
  toUIMessages,
} from '../../src/connect/ai-sdk/index.ts'
import { fromLanguageModel } from '../../src/connect/ai-sdk/model/from-language-model.ts'

interface Shop {
  order: { input: { sku: string }; output: { ordered: string } }
}
type ShopMessage = UIMessage<
  { usage?: object },
  { plan: unknown; waiting: unknown },
  Shop & Record<string, never>
>

declare const agent: Agent
declare const snapshot: ConversationSnapshot

export const transport: ChatTransport<UIMessage> = createChatTransport(agent)
export const ofTheShop: ChatTransport<ShopMessage> = createChatTransport(agent)
export const messages: UIMessage[] = toUIMessages(snapshot)
export const loaded: Promise<UIMessage[]> = loadUIMessages(agent, 'c')
export const chat = useChat({ id: 'c', messages, transport: createChatTransport(agent) })
export const inferred = useChat({
  messages: toUIMessages(snapshot),
  transport: createChatTransport(agent),
})

declare const v2: LanguageModelV2
declare const v3: LanguageModelV3
declare const v4: LanguageModelV4
export const providers = [v2, v3, v4].map((model) => fromLanguageModel(model))
