import { coloursIn, FAINT } from './colour.ts'
import { CSS_NUMBER } from './css-number.ts'
import { lazyPattern } from '../../lib/once.ts'

/** What computed styles leave of an element. Only what is certain: what can't be told leaves all. */

/** Whether a `clip` leaves nothing of the element. */
export function isEmptyClip(clip: string): boolean {
  const sides = /^rect\(([^)]*)\)$/.exec(clip)?.[1]?.split(/[\s,]+/) ?? []
  const [top = Number.NaN, right = Number.NaN, bottom = Number.NaN, left = Number.NaN] = sides.map(
    Number.parseFloat,
  )
  return right - left <= 1 || bottom - top <= 1
}

const OPACITIES = lazyPattern(() => `opacity\\((${CSS_NUMBER})(%?)\\)`, 'g')

/** The opacity that a `filter` leaves, from 0 to 1. */
export function filterOpacity(filter: string): number {
  let opacity = 1
  for (const [, value = '', unit] of filter.matchAll(OPACITIES()))
    opacity *= Math.min(1, Number(value) / (unit ? 100 : 1))
  return opacity
}

/** Whether a mask leaves nothing: all its gradients are transparent, or all its images have no size. */
export function isEmptyMask({
  maskImage,
  maskSize,
}: Pick<CSSStyleDeclaration, 'maskImage' | 'maskSize'>): boolean {
  if (maskSize && maskSize.split(',').every((size) => /(^|\s)0(px|%)?(\s|$)/.test(size)))
    return true
  const gradients = maskImage.match(/gradient\(/g)?.length ?? 0
  if (gradients === 0 || /url\(|image|element\(/.test(maskImage)) return false
  const colours = coloursIn(maskImage) ?? []
  // Images of a mask add up.
  return colours.length > 0 && colours.every(({ alpha }) => alpha * gradients <= FAINT)
}
