import { createSubscriber } from 'svelte/reactivity'
import {
  actionsOf,
  type ConversationActions,
  conversationOf,
  type FollowedConversation,
} from '../bindings/conversation-of.ts'
import { selection } from '../bindings/selection.ts'
import type { Agent, Conversation, ConversationSnapshot } from '../../index.ts'
import { type Given, read, useAgent } from './context.ts'

/** Result of `useConversation`: a snapshot, the full API, and actions. Before there is an agent, actions throw. */
export interface UsedConversation<Shown> extends ConversationActions {
  /** State: the current snapshot, or the result of `select`. */
  readonly snapshot: Shown
  /** State: the conversation's full API. Null until there is an agent. */
  readonly conversation: Conversation | null
}

type Id = Given<string | null | undefined>

/** Follows a conversation. Components without an id share one conversation, new on each page. */
export function useConversation(id?: Id): UsedConversation<ConversationSnapshot>
/** Changes `snapshot` only when the result of `select` is no longer shallowly equal. */
export function useConversation<Shown>(
  id: Id,
  select: (snapshot: ConversationSnapshot) => Shown,
): UsedConversation<Shown>
export function useConversation(
  id?: Id,
  select: (snapshot: ConversationSnapshot) => unknown = (snapshot) => snapshot,
): UsedConversation<unknown> {
  const agent = useAgent()
  // Returns the same object for the same agent and id.
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
  /** Returns the snapshot. Templates and effects that read it run again when it changes. */
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
