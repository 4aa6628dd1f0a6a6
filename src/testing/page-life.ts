import { forgetPage } from '../client/page-registry.ts'
import { forgetPageWide, pageWide } from '../lib/page-wide.ts'

const NAME = 'in-process workers'

/** The simulated page of this process, and its running workers. */
export interface PageLife {
  readonly lives: Set<AbortController>
  /** True after `simulateReload`. */
  isOver: boolean
}

export function pageLife(): PageLife {
  return pageWide(NAME, () => ({ lives: new Set(), isOver: false }))
}

/** Starts a worker's life. It ends with the page or earlier; at once if the page is already over. */
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
 * Simulates a reload, for tests without a browser. Ends all workers in this process; existing test agents can't start
 * living ones any more. New agents find unfinished runs as after a reload, instead of joining them.
 */
export function simulateReload(): void {
  const page = pageLife()
  page.isOver = true
  for (const life of page.lives) life.abort()
  forgetPageWide(NAME)
  forgetPage()
}
