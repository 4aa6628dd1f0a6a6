export {
  type AgentRef,
  OffstageProvider,
  type OffstageProviderProps,
  provideAgent,
  useAgent,
} from './composables.ts'
export { useConversation, type UsedConversation } from './composables.ts'
export { useAgentContext, useTool } from './composables.ts'
export { type CallCards, OffstageChat, type OffstageChatProps } from './chat.ts'
export type { CallCardProps } from '../bindings/chat-properties.ts'
export type { ConversationActions } from '../bindings/conversation-of.ts'
export type { CompositeToolWith, ToolWith } from '../bindings/mounted-tools.ts'
