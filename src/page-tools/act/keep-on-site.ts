import type { PageOptions } from '../options.ts'
import { isAllowedSite } from './sites.ts'

export interface SiteWatch {
  /** The lines of the report: where the page was kept from going. */
  lines(): string[]
  stop(): void
}

/**
 * Cancels navigations to other sites that scripts of the page begin, in browsers with the Navigation API. A person's own
 * are not touched.
 */
export function keepOnSite(views: Iterable<Window>, options: PageOptions): SiteWatch {
  const kept = new Set<string>()
  const watched = [...views].flatMap((view) => {
    const { navigation } = view as Window & { readonly navigation?: Navigation }
    if (!navigation) return []
    const check = (event: NavigateEvent): void => {
      const url = URL.parse(event.destination.url)
      if (!url || !event.cancelable || event.userInitiated || isAllowedSite(url, view, options))
        return
      event.preventDefault()
      kept.add(url.origin)
    }
    navigation.addEventListener('navigate', check)
    return [() => navigation.removeEventListener('navigate', check)]
  })
  return {
    lines: () =>
      [...kept].map(
        (origin) => `The page tried to go to ${origin}, another site: that is not allowed.`,
      ),
    stop: () => watched.forEach((stop) => stop()),
  }
}
