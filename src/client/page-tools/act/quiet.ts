import { frameDocument } from '../dom.ts'
import { rootOf, type LivePage } from '../live-page.ts'
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

/**
 * Waits until the page stops changing, but no longer than `quietMs`. Works in hidden tabs, whose timers
 * are slow: it doesn't depend on frames. `reactsLater`: nothing has happened yet, so give it some more
 * time to begin. Rejects when the signal is aborted.
 */
export async function waitQuiet(
  live: LivePage,
  signal?: AbortSignal,
  reactsLater: boolean = false,
): Promise<void> {
  const root = rootOf(live.options)
  const view = root.ownerDocument.defaultView ?? window
  const limit = live.options.quietMs ?? QUIET_MS
  const started = performance.now()
  let last = started
  const firstChange = view.document.hidden ? FIRST_CHANGE_HIDDEN_MS : FIRST_CHANGE_MS
  let idle = reactsLater ? firstChange : IDLE_MS
  const observer = new MutationObserver(() => {
    last = performance.now()
    idle = IDLE_MS
  })
  for (const tree of treesOf(root)) observer.observe(tree, EVERYTHING)
  try {
    await nextFrame(view)
    await nextFrame(view)
    for (;;) {
      const now = performance.now()
      const busy = root.querySelector('[aria-busy="true"]') !== null
      if (now - started > (busy ? limit * BUSY_FACTOR : limit)) return
      if (now - last >= idle && !busy) return
      await sleep(Math.max(10, Math.min(IDLE_MS, idle - (now - last))), signal)
    }
  } finally {
    observer.disconnect()
  }
}

const EVERYTHING: MutationObserverInit = {
  subtree: true,
  childList: true,
  characterData: true,
  attributes: true,
}

function treesOf(root: Element): Node[] {
  const frames = [...root.querySelectorAll('iframe')].flatMap((frame) => frameDocument(frame) ?? [])
  return [root.ownerDocument, ...frames]
}
