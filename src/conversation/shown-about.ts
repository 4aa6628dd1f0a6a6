import type { CallAbout, PendingCall } from '../protocol/run.ts'
import type { CallState } from '../protocol/state.ts'

/** What a person may answer beyond this call, as a page shows it. */
export function shownRememberable({ rememberable }: CallState): Pick<PendingCall, 'rememberable'> {
  if (!rememberable) return {}
  const { key } = rememberable
  return { rememberable: key === undefined ? {} : { key } }
}

/** What a person was asked about, as a page shows it. */
export function shownAbout({ about }: CallState): { readonly about?: CallAbout } {
  if (!about) return {}
  const { text, data, onPage } = about
  return { about: { text, ...(data !== undefined && { data }), ...(onPage && { onPage }) } }
}
