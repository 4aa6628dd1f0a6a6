import { emptySnapshot } from '../../conversation/index.ts'
import type { Agent, Conversation, ConversationSnapshot } from '../../index.ts'
import { throwNoAgent } from './agent-holder.ts'

/** Actions of a person in a conversation. */
export interface ConversationActions {
  readonly send: Conversation['send']
  /** Ends the open run. */
  readonly stop: Conversation['abort']
  readonly approve: Conversation['approve']
  readonly deny: Conversation['deny']
  readonly answer: Conversation['answer']
  readonly regenerate: Conversation['regenerate']
  readonly edit: Conversation['edit']
}

/**
 * Conversation that a component follows. `conversation` is null until there is an agent; until then, the component
 * shows `empty`.
 */
export interface FollowedConversation {
  readonly conversation: Conversation | null
  /** Snapshot shown on a server, and until the page has created the agent. */
  readonly empty: ConversationSnapshot
  subscribe(listener: () => void): () => void
  getSnapshot(): ConversationSnapshot
}

export function conversationOf(
  agent: Agent | null,
  id: string | null | undefined,
): FollowedConversation {
  const conversation = agent && agent.conversation(id ?? ownConversation(agent))
  const empty = emptySnapshot(id ?? '', 'loading')
  const { subscribe, getSnapshot } = conversation ?? {
    subscribe: () => () => {},
    getSnapshot: () => empty,
  }
  return { conversation, empty, subscribe, getSnapshot }
}

const METHODS = ['send', 'abort', 'approve', 'deny', 'answer', 'regenerate', 'edit'] as const

/** Actions on the conversation that is followed when the action is called. They throw while there is no agent. */
export function actionsOf(current: () => FollowedConversation): ConversationActions {
  const actions = METHODS.map((method) => [
    method === 'abort' ? 'stop' : method,
    (...args: unknown[]) => {
      const act = current().conversation?.[method] ?? throwNoAgent('The agent is not ready yet.')
      return (act as (...args: unknown[]) => unknown)(...args)
    },
  ])
  return Object.fromEntries(actions) as ConversationActions
}

const ownConversations = new WeakMap<Agent, string>()

/** The conversation of components without an id, new on each page. */
function ownConversation(agent: Agent): string {
  const id = ownConversations.get(agent) ?? agent.newConversationId()
  ownConversations.set(agent, id)
  return id
}
