import type { CallAbout } from '../protocol/run.ts'
import type { CallState } from '../protocol/state.ts'

/** What a person was asked about, as a page shows it. */
export function shownAbout({ about }: CallState): { readonly about?: CallAbout } {
  if (!about) return {}
  const { text, data, onPage } = about
  return { about: { text, ...(data !== undefined && { data }), ...(onPage && { onPage }) } }
}
