import { viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { type LivePage, treesOf } from '../outline/live-page.ts'
import { rootOf } from '../outline/region.ts'
import { ALL_MUTATIONS } from '../outline/mutation-log.ts'
import { nextFrame, sleep } from '../waiting.ts'

const LIMIT_MS = 1500
/** The page counts as settled after this time without changes. */
const IDLE_MS = 80
/** Frames to wait for first: components show what they open in the second frame. */
const OPENING_FRAMES = 3
/** Longest time that a frame may take on a busy machine. */
const FRAME_MS = 500
/** Polling interval during an animation, whose end may cause further changes. */
const ANIMATION_POLL_MS = 20
/** Time to wait for a first change. */
const FIRST_CHANGE_MS = 450
/** Time to wait for a first change in hidden tabs, where the page's timers run once a second. */
const FIRST_CHANGE_HIDDEN_MS = 1200
/** How long a pointer must rest on most elements until their tooltip or menu opens. */
const HOVER_MS = 800
/** How long the removal of an element may take after its exit animation. */
const REMOVAL_MS = 160
/** Multiplies the limit while something is `aria-busy`. */
const BUSY_FACTOR = 2

export interface SettleOptions {
  /** Waits longer for a first change, because none has happened yet. Default false. */
  readonly reactsLater?: boolean
  /** Waits until something is added, because a resting pointer opens it slowly. Default false. */
  readonly opensSlowly?: boolean
  /** Also waits for content that changes by itself, without an action. Default false. */
  readonly includeVolatile?: boolean
  /** The element that was acted on; its own animations, such as ripples, don't count. */
  readonly element?: Element | undefined
}

/**
 * Waits until the page stops changing and its animations have ended. Resolves to false if it still changes after
 * `quietMs`. Works in hidden tabs, which have slow timers and no frames. Rejects when the signal is aborted.
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
  const view = viewOf(root)
  const limit = live.options.quietMs ?? LIMIT_MS
  const started = performance.now()
  let last = started
  const firstChange = nativeDocument.hidden(view.document)
    ? FIRST_CHANGE_HIDDEN_MS
    : FIRST_CHANGE_MS
  let idle = opensSlowly ? HOVER_MS : reactsLater ? firstChange : IDLE_MS
  const trees = treesOf(live)
  const observer = new MutationObserver((records) => {
    if (!includeVolatile && live.outline.changesByItself(records)) return
    last = performance.now()
    if (!opensSlowly || records.some(({ addedNodes }) => addedNodes.length > 0)) idle = IDLE_MS
  })
  for (const tree of trees) observer.observe(tree, ALL_MUTATIONS)
  try {
    for (let frame = 0; frame < OPENING_FRAMES; frame += 1) await nextFrame(view, FRAME_MS)
    for (;;) {
      const now = performance.now()
      const busy = native.querySelector(root, '[aria-busy="true"]') !== null
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

/** Longest animation that counts as a transition. Longer ones are progress bars or carousels. Milliseconds. */
const LONGEST_TRANSITION_MS = 1000

/**
 * Whether something slides in or fades out. During that, closing elements still exist, and opening ones aren't in place
 * yet. `except`: an element whose animations, such as ripples, don't count.
 */
function isAnimating(trees: Iterable<Document | ShadowRoot>, except?: Element): boolean {
  for (const tree of trees) {
    const document = native.nodeType(tree) === 9 ? (tree as Document) : native.ownerDocument(tree)
    // Animations don't advance in hidden tabs.
    if (nativeDocument.hidden(document)) continue
    if (nativeDocument.getAnimations(tree).some((animation) => isTransition(animation, except)))
      return true
  }
  return false
}

/** Whether the animation ends soon and is more than a change of colour. */
function isTransition(animation: Animation, except: Element | undefined): boolean {
  const { effect, playState } = animation
  if (playState !== 'running' || !effect) return false
  const { target } = effect as KeyframeEffect
  if (target && except && native.contains(except, target)) return false
  const { transitionProperty = '' } = animation as Partial<CSSTransition>
  if (/color|shadow|fill|stroke|outline|filter/.test(transitionProperty)) return false
  const { endTime } = effect.getComputedTiming()
  return typeof endTime === 'number' && endTime > 0 && endTime <= LONGEST_TRANSITION_MS
}
