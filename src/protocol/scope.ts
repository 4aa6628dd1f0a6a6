import type { StorageConfig } from './conversation.ts'

/** Which agent of the page. */
export interface AgentRef {
  readonly agentId: string
}

/** Which agent asks, and where its conversations are. */
export interface AgentScope extends AgentRef {
  readonly storage: StorageConfig
  /** The page is to redact what is stored there, from the first such command on. */
  readonly redacts?: true
}

export interface ConversationScope extends AgentScope {
  readonly conversationId: string
}

export interface RunRef {
  readonly conversationId: string
  readonly runId: string
}
