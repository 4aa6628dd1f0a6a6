import type { PageOptions } from '../options.ts'
import { isAllowedSite } from './sites.ts'

export interface SiteWatch {
  /** The lines of the report: where the page was kept from going. */
  lines(): string[]
  stop(): void
}

/** How long what a person pressed may take to lead somewhere. Milliseconds. */
const PRESS_MS = 2000
const PRESSES = ['pointerdown', 'pointerup', 'keydown']

/**
 * Cancels navigations to other sites that scripts of the page begin, in browsers with the Navigation API. A person's own
 * are not touched: those after a press that no script can make. (`userInitiated` is true as well of a form that a
 * script's click submits.)
 */
export function keepOnSite(views: Iterable<Window>, options: PageOptions): SiteWatch {
  const kept = new Set<string>()
  // A window that has gone to another site takes no listener back.
  const watching = new AbortController()
  const { signal } = watching
  for (const view of views) {
    const { navigation } = view as Window & { readonly navigation?: Navigation }
    if (!navigation) continue
    let pressedAt = -Infinity
    const note = (event: Event): void => {
      if (isPress(event)) pressedAt = performance.now()
    }
    const check = (event: NavigateEvent): void => {
      const url = URL.parse(event.destination.url)
      const isPersons = event.userInitiated && performance.now() - pressedAt < PRESS_MS
      if (!url || !event.cancelable || isPersons || isAllowedSite(url, view, options)) return
      event.preventDefault()
      kept.add(url.origin)
    }
    for (const type of PRESSES) view.addEventListener(type, note, { capture: true, signal })
    navigation.addEventListener('navigate', check, { signal })
  }
  return {
    lines: () =>
      [...kept].map(
        (origin) => `The page tried to go to ${origin}, another site: that is not allowed.`,
      ),
    stop: () => watching.abort(),
  }
}

function isPress(event: Event): boolean {
  if (!event.isTrusted) return false
  return event.type !== 'keydown' || [' ', 'Enter'].includes((event as KeyboardEvent).key)
}
