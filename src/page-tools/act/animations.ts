import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'

/**
 * A longer animation is no transition between two states, but a progress bar or a carousel. Milliseconds.
 */
const LONGEST_TRANSITION_MS = 1000

/**
 * Whether something slides in or fades out: what closes is still there then, and what opens is not yet in
 * its place. `except`: an element whose animations, such as ripples, don't count.
 */
export function isAnimating(trees: Iterable<Document | ShadowRoot>, except?: Element): boolean {
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
