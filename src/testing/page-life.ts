import { forgetPage } from '../client/page-registry.ts'
import { forgetPageWide, pageWide } from '../lib/page-wide.ts'

const NAME = 'in-process workers'

/** The workers in this process that have not been terminated, by what ends them. */
function workers(): Set<AbortController> {
  return pageWide(NAME, () => new Set())
}

/** A life for a worker of this page, which ends with the page, or before. */
export function beginLife(): { readonly death: AbortSignal; end(): void } {
  const all = workers()
  const life = new AbortController()
  all.add(life)
  return {
    death: life.signal,
    end: () => {
      all.delete(life)
      life.abort()
    },
  }
}

/**
 * From here on everything is as on a page that has just been loaded: the workers in this process are dead, and what runs
 * for them is found as after a reload, where it would else be joined. For tests without a browser.
 */
export function simulateReload(): void {
  for (const life of workers()) life.abort()
  forgetPageWide(NAME)
  forgetPage()
}
