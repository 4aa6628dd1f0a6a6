import { forgetPage } from '../client/page-registry.ts'
import { forgetPageWide, pageWide } from '../lib/page-wide.ts'

const NAME = 'in-process workers'

/** The page that this process is at present. Aborted by `simulateReload`. */
export function pageLife(): AbortSignal {
  return controller().signal
}

function controller(): AbortController {
  return pageWide(NAME, () => new AbortController())
}

/** A life for a worker, which ends with its page, or before. Over at once where the page is. */
export function beginLife(page: AbortSignal): { readonly death: AbortSignal; end(): void } {
  const life = new AbortController()
  const end = (): void => {
    page.removeEventListener('abort', end)
    life.abort()
  }
  page.addEventListener('abort', end)
  if (page.aborted) end()
  return { death: life.signal, end }
}

/**
 * From here on everything is as on a page that has just been loaded: the workers in this process are dead, those that
 * test agents made before would still start are born dead, and what runs for them is found as after a reload, where it would
 * else be joined. For tests without a browser.
 */
export function simulateReload(): void {
  controller().abort()
  forgetPageWide(NAME)
  forgetPage()
}
