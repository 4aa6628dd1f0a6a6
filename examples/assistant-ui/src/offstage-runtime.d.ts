import type { AssistantRuntime } from '@assistant-ui/react'
import type { Agent } from 'offstage'

/** A runtime of assistant-ui. Its thread is a conversation of the agent. */
export function useOffstageRuntime(agent: Agent, conversationId: string): AssistantRuntime
