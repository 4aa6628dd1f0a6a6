import type { StorageConfig } from './conversation.ts'

/** Identifies an agent of the page. */
export interface AgentRef {
  readonly agentId: string
}

/** The agent that sends a command, and where its conversations are stored. */
export interface AgentScope extends AgentRef {
  readonly storage: StorageConfig
  /** The page must redact everything stored there, from the first command with this flag on. */
  readonly redacts?: true
}

export interface ConversationScope extends AgentScope {
  readonly conversationId: string
}

export interface RunRef {
  readonly conversationId: string
  readonly runId: string
}
