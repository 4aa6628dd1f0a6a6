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
import type { Conversation, ConversationSnapshot } from '../../index.ts'
import { useAgent } from './context.ts'

/** Result of `useConversation`: a snapshot, the full API, and actions. Before there is an agent, actions throw. */
export interface UsedConversation<Shown> extends ConversationActions {
  /** The current snapshot, or the result of `select`. */
  readonly snapshot: Readonly<ShallowRef<Shown>>
  /** The conversation's full API. Null until there is an agent. */
  readonly conversation: ComputedRef<Conversation | null>
}

type Id = MaybeRefOrGetter<string | null | undefined>

/**
 * Follows a conversation while the component is mounted. Components without an id share one conversation, new on each
 * page.
 */
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
  const followed = computed(() => conversationOf(agent.value, toValue(id)))
  // The snapshot that a server renders, so that hydration matches.
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
