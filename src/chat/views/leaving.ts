import type { ChatContext } from '../context.ts'

/** Key of the address that a person is asked about. */
export const LEAVING = 'leaving'

/** A link to another site, in a conversation with untrusted content, is asked about before it opens. */
export function askBeforeLeaving({ snapshot, local }: ChatContext, event: Event): void {
  const { target } = event
  const link =
    target instanceof Element
      ? target.closest<HTMLAnchorElement>('.markdown a[href], .sources a[href]')
      : null
  if (!link || snapshot.taint.length === 0 || link.origin === location.origin) return
  event.preventDefault()
  local.set(LEAVING, link.href)
}
