import { rootOf, treesOf, type LivePage } from '../live-page.ts'
import { EVERYTHING, placeOf } from '../read/mutation-log.ts'
import { nextFrame, sleep } from '../waiting.ts'

const QUIET_MS = 1500
/** The page counts as quiet when nothing changed for so long. */
const IDLE_MS = 80
/** How long nothing may happen at all before nothing is expected any more. */
const FIRST_CHANGE_MS = 450
/** The same in hidden tabs, where the page's own timers come once a second. */
const FIRST_CHANGE_HIDDEN_MS = 1200
/** How much longer to wait while something says that it is loading. */
const BUSY_FACTOR = 2

export interface QuietOptions {
  /** Nothing has happened yet, so it gets some more time to begin. Default false. */
  readonly reactsLater?: boolean
  /** Also waits for what changed all the time before. Default false. */
  readonly patient?: boolean
}

/**
 * Waits until the page stops changing, but no longer than `quietMs`: false when it still changed then. Works in hidden tabs, whose timers
 * are slow: it doesn't depend on frames. Rejects when the signal is aborted.
 */
export async function waitQuiet(
  live: LivePage,
  signal?: AbortSignal,
  { reactsLater = false, patient = false }: QuietOptions = {},
): Promise<boolean> {
  const root = rootOf(live.options)
  const view = root.ownerDocument.defaultView ?? window
  const limit = live.options.quietMs ?? QUIET_MS
  const started = performance.now()
  let last = started
  const firstChange = view.document.hidden ? FIRST_CHANGE_HIDDEN_MS : FIRST_CHANGE_MS
  let idle = reactsLater ? firstChange : IDLE_MS
  const observer = new MutationObserver((records) => {
    if (!patient && records.every((record) => live.outline.isRestless(placeOf(record)))) return
    last = performance.now()
    idle = IDLE_MS
  })
  for (const tree of treesOf(live)) observer.observe(tree, EVERYTHING)
  try {
    await nextFrame(view)
    await nextFrame(view)
    for (;;) {
      const now = performance.now()
      const busy = root.querySelector('[aria-busy="true"]') !== null
      if (now - started > (busy ? limit * BUSY_FACTOR : limit)) return false
      if (now - last >= idle && !busy) return true
      await sleep(Math.max(10, Math.min(IDLE_MS, idle - (now - last))), signal)
    }
  } finally {
    observer.disconnect()
  }
}
