import { onUnmounted, ref, type Ref } from 'vue'

/** Returns whether the window is too narrow for a chat beside the list. */
export function useNarrowWindow(): Readonly<Ref<boolean>> {
  const query = matchMedia('(width < 52rem)')
  const isNarrow = ref(query.matches)
  const update = (): void => {
    isNarrow.value = query.matches
  }
  query.addEventListener('change', update)
  onUnmounted(() => query.removeEventListener('change', update))
  return isNarrow
}
