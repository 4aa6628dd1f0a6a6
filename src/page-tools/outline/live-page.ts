import { scrubAround } from '../clean-text.ts'
import * as native from '../native.ts'
import { createPage, type Page, type PageOptions, releaseSignal } from '../page.ts'
import { LiveOutline } from './live-outline.ts'
import { rootOf } from './region.ts'
import { scrubberFor } from '../secrets/secret-fields.ts'

/** The state of a page between two calls. */
export interface LivePage {
  readonly options: PageOptions
  readonly outline: LiveOutline
  /** The element that the pointer was last over. */
  hovered: Element | null
  /** Removes the overlay, if there is one. */
  clearOverlay: () => void
  /** Aborted by the next release. */
  lifetime(): AbortSignal
}

const pages = new WeakMap<Page, LivePage>()
let wholePage: Page | null = null

/** The state of a page. Default: the state of the whole page. */
export function livePage(page: Page = (wholePage ??= createPage())): LivePage {
  const cached = pages.get(page)
  if (cached) return cached
  const { options } = page
  const live: LivePage = {
    options,
    outline: new LiveOutline(options, () => rootOf(options)),
    hovered: null,
    clearOverlay: () => undefined,
    lifetime: () => releaseSignal(page),
  }
  const reset = (): void => {
    live.outline.release()
    live.hovered = null
    live.clearOverlay()
    live.lifetime().addEventListener('abort', reset, { once: true })
  }
  live.lifetime().addEventListener('abort', reset, { once: true })
  pages.set(page, live)
  return live
}

/** Resolves when the last use of any page has ended. */
let lastUse: Promise<unknown> = Promise.resolve()

/**
 * Runs one use of the window at a time, for all `Page`s. Two simultaneous uses would report each other's changes as
 * their own, and restore each other's replaced functions.
 */
export function runExclusive<Result>(use: () => Promise<Result>): Promise<Result> {
  const result = lastUse.then(use)
  lastUse = result.catch(() => undefined)
  return result
}

/** Removes the page's secrets from a text that is about to be returned. */
export function scrub(text: string, live: LivePage): string {
  return scrubber(live)(text)
}

/** Like `scrub`, for several texts: searches the page for secrets only once. */
export function scrubber(live: LivePage): (text: string) => string {
  const clean = scrubberFor(treesOf(live), live.options)
  return (text) => scrubAround(text, clean)
}

/** The page's document, and the documents of its frames and its shadow roots that were walked. */
export function treesOf({ options, outline }: LivePage): Set<Document | ShadowRoot> {
  return new Set([native.ownerDocument(rootOf(options)), ...outline.trees])
}
