import { treesOf, type LivePage } from '../outline/live-page.ts'
import { rootOf } from '../outline/region.ts'
import { ALL_MUTATIONS, changedElement } from '../outline/mutation-log.ts'
import { nextFrame, sleep } from '../waiting.ts'
import { isAnimating } from './animations.ts'

const LIMIT_MS = 1500
/** The page counts as quiet when nothing changed for so long. */
const IDLE_MS = 80
/** While something moves, its end is looked for this often: what it leads to comes right after. */
const ANIMATION_POLL_MS = 20
/** How long nothing may happen at all before nothing is expected any more. */
const FIRST_CHANGE_MS = 450
/** The same in hidden tabs, where the page's own timers come once a second. */
const FIRST_CHANGE_HIDDEN_MS = 1200
/** How long a pointer must rest on most things until what they explain or open appears. */
const HOVER_MS = 800
/** How long what has slid out or faded away may take to be taken off the page. */
const REMOVAL_MS = 160
/** How much longer to wait while something says that it is loading. */
const BUSY_FACTOR = 2

export interface SettleOptions {
  /** Nothing has happened yet, so it gets some more time to begin. Default false. */
  readonly reactsLater?: boolean
  /** The pointer rests: until something new is there. Default false. */
  readonly opensSlowly?: boolean
  /** Also waits for what changed all the time before. Default false. */
  readonly includeVolatile?: boolean
  /** What was acted on: its own ripples are of no interest. */
  readonly element?: Element | undefined
}

/**
 * Waits until the page stops changing, but no longer than `quietMs`: false when it still changed then.
 * What slides in or fades away has done so, too. Works in hidden tabs, whose timers are slow: it doesn't
 * depend on frames. Rejects when the signal is aborted.
 */
export async function waitUntilSettled(
  live: LivePage,
  signal?: AbortSignal,
  {
    reactsLater = false,
    opensSlowly = false,
    includeVolatile = false,
    element,
  }: SettleOptions = {},
): Promise<boolean> {
  const root = rootOf(live.options)
  const view = root.ownerDocument.defaultView ?? window
  const limit = live.options.quietMs ?? LIMIT_MS
  const started = performance.now()
  let last = started
  const firstChange = view.document.hidden ? FIRST_CHANGE_HIDDEN_MS : FIRST_CHANGE_MS
  let idle = opensSlowly ? HOVER_MS : reactsLater ? firstChange : IDLE_MS
  const trees = treesOf(live)
  const observer = new MutationObserver((records) => {
    if (
      !includeVolatile &&
      records.every((record) => live.outline.isVolatile(changedElement(record)))
    )
      return
    last = performance.now()
    if (!opensSlowly || records.some(({ addedNodes }) => addedNodes.length > 0)) idle = IDLE_MS
  })
  for (const tree of trees) observer.observe(tree, ALL_MUTATIONS)
  try {
    await nextFrame(view)
    await nextFrame(view)
    for (;;) {
      const now = performance.now()
      const busy = root.querySelector('[aria-busy="true"]') !== null
      if (now - started > (busy ? limit * BUSY_FACTOR : limit)) return false
      const moving = isAnimating(trees, element)
      if (moving) {
        last = now
        idle = Math.max(idle, REMOVAL_MS)
      }
      if (now - last >= idle && !busy) return true
      const pause = moving ? ANIMATION_POLL_MS : Math.min(IDLE_MS, idle - (now - last))
      await sleep(Math.max(10, pause), signal)
    }
  } finally {
    observer.disconnect()
  }
}
