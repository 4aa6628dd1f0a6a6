import { frameDocument } from '../dom.ts'
import { rootOf, type LivePage } from '../live-page.ts'
import { nextFrame } from '../waiting.ts'

const QUIET_MS = 1500
/** The page counts as quiet when nothing changed for so long. */
const IDLE_MS = 80
/** How much longer to wait while something says that it is loading. */
const BUSY_FACTOR = 2

/**
 * Waits until the page stops changing, but no longer than `quietMs`. Works in hidden tabs, whose timers
 * are slow: it ends by messages and timers, not by frames. Rejects when the signal is aborted.
 */
export async function waitQuiet(live: LivePage, signal?: AbortSignal): Promise<void> {
  const root = rootOf(live.options)
  const view = root.ownerDocument.defaultView ?? window
  const limit = live.options.quietMs ?? QUIET_MS
  const started = performance.now()
  let last = started
  const observer = new MutationObserver(() => (last = performance.now()))
  for (const tree of treesOf(root)) observer.observe(tree, EVERYTHING)
  try {
    await nextFrame(view)
    await nextFrame(view)
    for (;;) {
      signal?.throwIfAborted()
      const now = performance.now()
      const busy = root.querySelector('[aria-busy="true"]') !== null
      if (now - started > (busy ? limit * BUSY_FACTOR : limit)) return
      if (now - last >= IDLE_MS && !busy) return
      await new Promise((resolve) => setTimeout(resolve, Math.max(10, IDLE_MS - (now - last))))
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
