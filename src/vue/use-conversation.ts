import {
  computed,
  type ComputedRef,
  type MaybeRefOrGetter,
  onMounted,
  type ShallowRef,
  shallowRef,
  toValue,
  watch,
} from 'vue'
import { actionsOf, type ConversationActions, conversationOf } from '../bindings/conversation-of.ts'
import { selection } from '../bindings/selection.ts'
import type { Conversation, ConversationSnapshot } from '../index.ts'
import { useAgent } from './context.ts'

export interface UsedConversation<Shown> extends ConversationActions {
  /** What is shown now, or what `select` made of it. */
  readonly snapshot: Readonly<ShallowRef<Shown>>
  /** For all else that can be done with it. Null where there is no agent yet. */
  readonly conversation: ComputedRef<Conversation | null>
}

type Id = MaybeRefOrGetter<string | null | undefined>

/**
 * Follows a conversation while the component is mounted. Without an id: one that all components share which name none, new on
 * each page.
 */
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
  const followed = computed(() => conversationOf(agent.value, toValue(id)))
  // What a server shows, so that the page can take it over.
  const snapshot = shallowRef(select(followed.value.empty))
  onMounted(() => {
    const follow = (
      { subscribe, getSnapshot }: typeof followed.value,
      _before: unknown,
      onCleanup: (undo: () => void) => void,
    ): void => {
      const pick = selection(select, snapshot.value)
      const show = (): void => {
        snapshot.value = pick(getSnapshot())
      }
      onCleanup(subscribe(show))
      show()
    }
    watch(followed, follow, { immediate: true })
  })
  return {
    snapshot,
    conversation: computed(() => followed.value.conversation),
    ...actionsOf(() => followed.value),
  }
}
