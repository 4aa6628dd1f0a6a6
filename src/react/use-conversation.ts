import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { actionsOf, type ConversationActions, conversationOf } from '../bindings/conversation-of.ts'
import { selection } from '../bindings/selection.ts'
import type { Conversation, ConversationSnapshot } from '../index.ts'
import { useAgent } from './context.ts'

export interface UsedConversation<Shown> extends ConversationActions {
  /** What is shown now, or what `select` made of it. */
  readonly snapshot: Shown
  /** For all else that can be done with it. Null where there is no agent yet. */
  readonly conversation: Conversation | null
}

/**
 * Follows a conversation. Without an id: one that all components share which name none, new on each page. The functions stay
 * the same as long as the conversation does.
 */
export function useConversation(id?: string | null): UsedConversation<ConversationSnapshot>
/** Renders anew only when what `select` returns is not alike: another value, or an object or array that holds others. */
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
