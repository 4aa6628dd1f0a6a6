import { PageError } from '../page-error.ts'
import type { Page, PageOptions } from '../options.ts'
import { LiveOutline } from './live-outline.ts'
import { rootOf } from './region.ts'
import { scrubberFor } from '../scrub.ts'

/** What a page remembers between two calls. */
export interface LivePage {
  readonly options: PageOptions
  readonly outline: LiveOutline
  /** The last element that the pointer was over. */
  hovered: Element | null
  /** Settles when the last use of the page is over. */
  lastUse: Promise<unknown>
  /** Removes what is drawn over the page. */
  clearOverlay: () => void
  /** Aborted when the page is released, which can be used again. */
  lifetime: AbortController
}

const pages = new WeakMap<Page, LivePage>()
let wholePage: Page | null = null

/**
 * A page, or a part of it, with limits for what may be read and done. Touches nothing until it is used.
 */
export function createPage(options: PageOptions = {}): Page {
  const live: LivePage = {
    options,
    outline: new LiveOutline(options, () => rootOf(options)),
    hovered: null,
    lastUse: Promise.resolve(),
    clearOverlay: () => undefined,
    lifetime: new AbortController(),
  }
  const page: Page = {
    options,
    release() {
      live.outline.release()
      live.hovered = null
      live.clearOverlay()
      live.lifetime.abort()
      live.lifetime = new AbortController()
    },
  }
  pages.set(page, live)
  return page
}

/** The state behind a page; that of the whole page when there is none. */
export function livePage(page: Page | undefined): LivePage {
  const live = pages.get(page ?? (wholePage ??= createPage()))
  if (!live) throw new PageError('invalid-input', 'The page must come from createPage().')
  return live
}

/** One use of the page at a time: two at once would see each other's changes as their own. */
export function exclusively<Result>(live: LivePage, use: () => Promise<Result>): Promise<Result> {
  const result = live.lastUse.then(use)
  live.lastUse = result.catch(() => undefined)
  return result
}

/** Takes secrets of the page out of a text, before anyone gets it. */
export function scrub(text: string, live: LivePage): string {
  return scrubber(live)(text)
}

/** The same for several texts: the page is searched for secrets once. */
export function scrubber(live: LivePage): (text: string) => string {
  return scrubberFor(treesOf(live), live.options)
}

/** The page's document, and those of its frames and the shadow roots as far as they were entered. */
export function treesOf({ options, outline }: LivePage): Set<Document | ShadowRoot> {
  return new Set([rootOf(options).ownerDocument, ...outline.trees])
}
