import { useSyncExternalStore } from 'react'

const query = matchMedia('(width < 52rem)')

/** Returns whether the window is too narrow for a chat beside the list. */
export function useNarrowWindow(): boolean {
  return useSyncExternalStore(onQueryChange, () => query.matches)
}

function onQueryChange(listener: () => void): () => void {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}
