/** A fade or a slide is over by then. Milliseconds. */
const SOON_MS = 10_000
const FAINT = 0.05
const NOT_STYLE = new Set(['offset', 'computedOffset', 'easing', 'composite'])

/** Whether an element is about to look different by itself: an animation or a transition runs. */
export function isChanging(element: Element): boolean {
  return element.getAnimations().some((animation) => {
    const { playState, effect, currentTime } = animation
    if (playState !== 'running' || !effect) return false
    const { endTime, iterations, duration } = effect.getComputedTiming()
    if (iterations === Infinity) return Number(duration) <= SOON_MS && mayShow(effect)
    return Number(endTime) - Number(currentTime ?? 0) <= SOON_MS
  })
}

/** Whether an animation has a moment that isn't all but transparent. */
function mayShow(effect: AnimationEffect): boolean {
  if (!('getKeyframes' in effect)) return true
  const frames = (effect as KeyframeEffect).getKeyframes()
  return frames.some((frame) =>
    Object.entries(frame).some(
      ([property, value]) =>
        !NOT_STYLE.has(property) && (property !== 'opacity' || Number(value) > FAINT),
    ),
  )
}
