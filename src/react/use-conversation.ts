import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { type ConversationActions, conversationOf } from '../bindings/conversation-of.ts'
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
  const { read, readEmpty } = useMemo(() => {
    const pick = selection(select, () => shown.current)
    return {
      read: () => pick(followed.getSnapshot()),
      readEmpty: () => pick(followed.empty),
    }
  }, [followed, select])
  const snapshot = useSyncExternalStore(followed.subscribe, read, readEmpty)
  useEffect(() => {
    shown.current = snapshot
  }, [snapshot])
  return useMemo(() => {
    const { actions, conversation } = followed
    return { snapshot, conversation, ...actions }
  }, [followed, snapshot])
}

function all(snapshot: ConversationSnapshot): ConversationSnapshot {
  return snapshot
}
