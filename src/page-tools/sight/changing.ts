import * as native from '../native.ts'
import { FAINT, readColour } from './colour.ts'

/** A fade or a slide is over by then. Milliseconds. */
const SOON_MS = 10_000
const NOT_STYLE = new Set(['offset', 'computedOffset', 'easing', 'composite'])
/** What it changes makes no text visible. */
const NO_LOOK = /^(outline|cursor|caret|accent|pointer|order$|scroll|will)/
/** What decides whether a text is transparent; a variable may decide anything. */
const OPACITY = /^(--|opacity|color|fill|stroke|filter|mask|background|webkit|textShadow)/

/**
 * Whether an element that can't be seen is about to look different by itself: an animation or a transition
 * runs. `transparent`: whether that is why.
 */
export function isChanging(element: Element, transparent: boolean): boolean {
  return native.getAnimations(element).some((animation) => {
    const { playState, effect, currentTime } = animation
    if (playState !== 'running' || !effect) return false
    const { endTime, iterations, duration } = effect.getComputedTiming()
    if (iterations === Infinity) return Number(duration) <= SOON_MS && mayShow(effect, transparent)
    return Number(endTime) - Number(currentTime ?? 0) <= SOON_MS
  })
}

/** Whether an animation has a moment in which the text may be seen. */
function mayShow(effect: AnimationEffect, transparent: boolean): boolean {
  if (!('getKeyframes' in effect)) return true
  const frames = (effect as KeyframeEffect).getKeyframes()
  return frames.some((frame) =>
    Object.entries(frame).some(([property, value]) => {
      if (NOT_STYLE.has(property) || NO_LOOK.test(property)) return false
      if (transparent && !OPACITY.test(property)) return false
      return !isFaint(property, String(value))
    }),
  )
}

function isFaint(property: string, value: string): boolean {
  if (property === 'opacity') return Number(value) <= FAINT
  if (!/^(color|fill|webkitTextFillColor)$/.test(property)) return false
  return value === 'transparent' || (readColour(value)?.alpha ?? 1) <= FAINT
}
