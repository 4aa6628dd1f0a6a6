import type { ChatContext } from '../context.ts'

/** Key of the address that the person has to confirm. */
export const LEAVING = 'leaving'

/** Requests confirmation before a link to another site opens, if the conversation has untrusted content. */
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
