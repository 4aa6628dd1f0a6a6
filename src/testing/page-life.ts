import { forgetPage } from '../client/page-registry.ts'
import { forgetPageWide, pageWide } from '../lib/page-wide.ts'

const NAME = 'in-process workers'

/** The page that this process is for a while, and its workers that have not been terminated. */
export interface PageLife {
  readonly lives: Set<AbortController>
  /** Ended by `simulateReload`. */
  isOver: boolean
}

export function pageLife(): PageLife {
  return pageWide(NAME, () => ({ lives: new Set(), isOver: false }))
}

/** A life for a worker, which ends with its page, or before. Over at once where the page is. */
export function beginLife({ lives, isOver }: PageLife): {
  readonly death: AbortSignal
  end(): void
} {
  const life = new AbortController()
  const end = (): void => {
    lives.delete(life)
    life.abort()
  }
  lives.add(life)
  if (isOver) end()
  return { death: life.signal, end }
}

/**
 * From here on everything is as on a page that has just been loaded: the workers in this process are dead, those that
 * test agents made before would still start are born dead, and what runs for them is found as after a reload, where it would
 * else be joined. For tests without a browser.
 */
export function simulateReload(): void {
  const page = pageLife()
  page.isOver = true
  for (const life of page.lives) life.abort()
  forgetPageWide(NAME)
  forgetPage()
}
