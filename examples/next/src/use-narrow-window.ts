import { useSyncExternalStore } from 'react'

const QUERY = '(width < 52rem)'

/** Returns whether the window is too narrow for a chat beside the list; false on a server. */
export function useNarrowWindow(): boolean {
  return useSyncExternalStore(
    onQueryChange,
    () => matchMedia(QUERY).matches,
    () => false,
  )
}

function onQueryChange(listener: () => void): () => void {
  const query = matchMedia(QUERY)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}
