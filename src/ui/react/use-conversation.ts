import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { actionsOf, type ConversationActions, conversationOf } from '../bindings/conversation-of.ts'
import { selection } from '../bindings/selection.ts'
import type { Conversation, ConversationSnapshot } from '../../index.ts'
import { useAgent } from './context.ts'

/** Result of `useConversation`: a snapshot, the full API, and actions. Before there is an agent, actions throw. */
export interface UsedConversation<Shown> extends ConversationActions {
  /** The current snapshot, or the result of `select`. */
  readonly snapshot: Shown
  /** The conversation's full API. Null until there is an agent. */
  readonly conversation: Conversation | null
}

/**
 * Follows a conversation. Components without an id share one conversation, new on each page. The functions stay the
 * same as long as the conversation does.
 */
export function useConversation(id?: string | null): UsedConversation<ConversationSnapshot>
/** Renders again only when the result of `select` is no longer shallowly equal. */
export function useConversation<Shown>(
  id: string | null | undefined,
  select: (snapshot: ConversationSnapshot) => Shown,
): UsedConversation<Shown>
export function useConversation(
  id?: string | null,
  select: (snapshot: ConversationSnapshot) => unknown = all,
): UsedConversation<unknown> {
  const agent = useAgent()
  const followed = useMemo(() => conversationOf(agent, id), [agent, id])
  const shown = useRef<unknown>(undefined)
  const pick = useMemo(() => selection(select, shown.current), [followed, select])
  const snapshot = useSyncExternalStore(
    followed.subscribe,
    () => pick(followed.getSnapshot()),
    () => pick(followed.empty),
  )
  useEffect(() => {
    shown.current = snapshot
  })
  const actions = useMemo(() => actionsOf(() => followed), [followed])
  const { conversation } = followed
  return useMemo(() => ({ snapshot, conversation, ...actions }), [snapshot, conversation, actions])
}

function all(snapshot: ConversationSnapshot): ConversationSnapshot {
  return snapshot
}
