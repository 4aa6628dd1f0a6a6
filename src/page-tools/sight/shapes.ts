import { CSS_NUMBER } from './css-number.ts'
import { lazyPattern } from '../../lib/once.ts'

/** Finds styles that hide all of an element. Only what is certain counts: unknown values hide nothing. */

/** Whether a `clip` leaves nothing of the element. */
export function isEmptyClip(clip: string): boolean {
  const sides = /^rect\(([^)]*)\)$/.exec(clip)?.[1]?.split(/[\s,]+/) ?? []
  const [top = Number.NaN, right = Number.NaN, bottom = Number.NaN, left = Number.NaN] = sides.map(
    Number.parseFloat,
  )
  return right - left <= 1 || bottom - top <= 1
}

/** Shapes by which pages cut off all of an element. */
const NOTHING = /^(?:inset\((?:[5-9]\d|100)%|circle\(0|polygon\((?:0(?:px|%)? 0(?:px|%)?,? ?)+\))/

/** Whether a `clip-path` is known to leave nothing of the element. */
export function isEmptyPath(path: string): boolean {
  return NOTHING.test(path)
}

const OPACITIES = lazyPattern(() => `opacity\\((${CSS_NUMBER})(%?)\\)`, 'g')

/** The opacity that a `filter` leaves, from 0 to 1. */
export function filterOpacity(filter: string): number {
  let opacity = 1
  for (const [, value = '', unit] of filter.matchAll(OPACITIES()))
    opacity *= Math.min(1, Number(value) / (unit ? 100 : 1))
  return opacity
}
