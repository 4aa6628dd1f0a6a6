import { createSubscriber } from 'svelte/reactivity'
import {
  actionsOf,
  type ConversationActions,
  conversationOf,
  type FollowedConversation,
} from '../bindings/conversation-of.ts'
import { selection } from '../bindings/selection.ts'
import type { Agent, Conversation, ConversationSnapshot } from '../index.ts'
import { useAgent } from './context.ts'
import { type Given, read } from './given.ts'

export interface UsedConversation<Shown> extends ConversationActions {
  /** State: what is shown now, or what `select` made of it. */
  readonly snapshot: Shown
  /** State, for all else that can be done with it. Null where there is no agent yet. */
  readonly conversation: Conversation | null
}

type Id = Given<string | null | undefined>

/** Follows a conversation. Without an id: one that all components share which name none, new on each page. */
export function useConversation(id?: Id): UsedConversation<ConversationSnapshot>
/** `snapshot` changes only when what `select` returns is not alike: another value, or an object or array that holds others. */
export function useConversation<Shown>(
  id: Id,
  select: (snapshot: ConversationSnapshot) => Shown,
): UsedConversation<Shown>
export function useConversation(
  id?: Id,
  select: (snapshot: ConversationSnapshot) => unknown = (snapshot) => snapshot,
): UsedConversation<unknown> {
  const agent = useAgent()
  // One for each agent and id.
  const key = selection((named: Key) => named)
  const shown = selection((named: Key) => shownOf(conversationOf(named.agent, named.id), select))
  const now = (): Shown => shown(key({ agent: agent.current, id: read(id) }))
  return {
    get snapshot() {
      return now().read()
    },
    get conversation() {
      return now().followed.conversation
    },
    ...actionsOf(() => now().followed),
  }
}

interface Key {
  readonly agent: Agent | null
  readonly id: string | null | undefined
}

interface Shown {
  readonly followed: FollowedConversation
  /** Whoever reads it from a template or an effect is told when it is another one. */
  read(): unknown
}

function shownOf(
  followed: FollowedConversation,
  select: (snapshot: ConversationSnapshot) => unknown,
): Shown {
  const pick = selection(select)
  const newest = (): unknown => pick(followed.getSnapshot())
  const follow = createSubscriber((update) => {
    let told = newest()
    return followed.subscribe(() => {
      const before = told
      told = newest()
      if (told !== before) update()
    })
  })
  return {
    followed,
    read: () => {
      follow()
      return newest()
    },
  }
}
