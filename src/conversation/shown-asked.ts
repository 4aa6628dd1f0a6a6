import type { CallAbout, PendingCall } from '../protocol/run.ts'
import type { CallState } from '../protocol/state.ts'
import type { AskedBecause } from '../protocol/taint.ts'

interface ShownAsked {
  readonly about?: CallAbout
  readonly because?: AskedBecause
}

/** Subject and reason of an approval request, as a page shows them. */
export function shownAsked({ about, because }: CallState): ShownAsked {
  if (!about && !because) return {}
  return { ...(about && { about: shownAbout(about) }), ...(because && { because }) }
}

function shownAbout({ text, data, onPage }: CallAbout): CallAbout {
  return { text, ...(data !== undefined && { data }), ...(onPage && { onPage }) }
}

/** Consent that a person may give beyond this call, as a page shows it. */
export function shownRememberable({ rememberable }: CallState): Pick<PendingCall, 'rememberable'> {
  if (!rememberable) return {}
  const { key } = rememberable
  return { rememberable: key === undefined ? {} : { key } }
}
