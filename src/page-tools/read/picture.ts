import {
  ancestorsOf,
  descendantsOf,
  isDisplayed,
  isTag,
  renderedElement,
  toWindowPixels,
  viewOf,
} from '../dom.ts'
import * as native from '../native.ts'
import { type PageOptions, PageError } from '../page.ts'
import { isExcluded, isInExcluded, isReadable, requireReadable } from '../outline/region.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { type LivePage, scrub } from '../outline/live-page.ts'
import { isMasked } from '../secrets/secret-fields.ts'
import { unseenBox } from '../sight/unseen.ts'

/** Minimum blur that hides a picture. Standard deviation in CSS pixels. */
const LEAST_BLUR = 2
const BLURS = /blur\(([\d.e-]+)px\)/g

/** Attributes that describe a picture in words. */
const WORDS = ['alt', 'title', 'aria-label', 'aria-description', 'aria-roledescription']

/**
 * Throws unless a person sees the picture, and nothing in it is kept from the model. `parts`: what the picture shows
 * besides its own content. `name`: its name in errors.
 */
export function requireShowable(
  picture: Picture,
  parts: readonly Element[],
  { live, name }: { readonly live: LivePage; readonly name: string },
): void {
  const { options } = live
  // The picture may be elsewhere than the element that was named, or have moved since.
  requireReadable(picture, options)
  const hidden = hiddenReason(picture) ?? unclearReason(picture)
  if (hidden) throw new PageError('hidden', `${name} can't be looked at: ${hidden}.`)
  if (isMasked(picture, options))
    throw new PageError('unsupported', `${name} is masked: no picture of it is given.`)
  const descendants = [picture, ...parts].flatMap((item) => [...descendantsOf(item)])
  const isPrivate =
    parts.some((candidate) => isMasked(candidate, options) || isInExcluded(candidate, options)) ||
    descendants.some((candidate) => isMasked(candidate, options) || isExcluded(candidate, options))
  if (isPrivate || holdsSecrets([picture, ...parts, ...descendants], live))
    throw new PageError(
      'unsupported',
      `${name} shows something that is masked: no picture of it is given. Read it with read_page.`,
    )
}

function unclearReason(picture: Picture): string | null {
  if (!isDisplayed(picture, { opacityProperty: true })) return 'it is transparent'
  const unseen = unseenBox(picture)
  if (unseen) return `nobody can see it (${unseen})`
  return getBlur(picture) >= LEAST_BLUR ? 'it is blurred, and nobody can see it' : null
}

/** Blur of the picture and everything around it: nested blurs add up. */
function getBlur(picture: Picture): number {
  const radii = [picture, ...ancestorsOf(picture)].flatMap((item) =>
    [...viewOf(item).getComputedStyle(item).filter.matchAll(BLURS)].map(([, radius]) =>
      Number(radius),
    ),
  )
  return Math.hypot(...radii)
}

/** Whether the words of the elements hold a secret that is elsewhere on the page, such as a card's number. */
function holdsSecrets(elements: readonly Element[], live: LivePage): boolean {
  const texts = elements.flatMap((element) => [
    ...WORDS.map((word) => native.getAttribute(element, word) ?? ''),
    ...[...native.childNodes(element)]
      .filter((node) => native.nodeType(node) === 3)
      .map((node) => native.nodeValue(node) ?? ''),
  ])
  const words = texts.map((text) => text.trim()).filter(Boolean)
  // Each letter of a word may have an element of its own.
  return ['\n', '']
    .map((separator) => words.join(separator))
    .some((text) => scrub(text, live) !== text)
}

/** Element to look at: an image, a canvas, a drawing, or a video with its current frame. */
export type Picture = HTMLImageElement | HTMLCanvasElement | HTMLVideoElement | SVGSVGElement

/** Smaller pictures inside a part are ignored as icons. CSS pixels. */
const SMALLEST = 24
/** If the largest picture is this many times larger than the next, only the largest is meant. */
const FAR_LARGER = 4

function isPicture(element: Element): element is Picture {
  return (
    isTag(element, 'img') || isTag(element, 'canvas') || isTag(element, 'video') || isSvg(element)
  )
}

export function isSvg(element: Element): element is SVGSVGElement {
  return native.localName(element) === 'svg'
}

/** The pictures that an element stands for: the element itself, the drawing around it, or the pictures in it. */
export function picturesOf(target: Element, options: PageOptions): readonly Picture[] {
  const element = renderedElement(target)
  const drawing = findDrawing(element)
  if (drawing) return [drawing]
  if (isPicture(element)) return [element]
  const found = [...descendantsOf(element)]
    .filter(isPicture)
    .filter((candidate) => findDrawing(candidate) === (isSvg(candidate) ? candidate : null))
    .filter((candidate) => isReadable(candidate, options) && hiddenReason(candidate) === null)
    .map((picture) => ({ picture, size: getArea(picture) }))
    .filter(({ size }) => size >= SMALLEST ** 2)
    .toSorted((a, b) => b.size - a.size)
  const [largest, next] = found
  if (largest && (!next || largest.size >= next.size * FAR_LARGER)) return [largest.picture]
  return found.map(({ picture }) => picture)
}

/** The outermost `svg`. */
function findDrawing(element: Element): SVGSVGElement | null {
  let found: SVGSVGElement | null = null
  for (let current: Element | null = element; current; current = native.parentElement(current))
    if (isSvg(current)) found = current
  return found
}

function getArea(element: Element): number {
  const { width, height } = native.getBoundingClientRect(element)
  return width * height
}

/**
 * Part of an element that a picture of it shows, in pixels of its window. For a picture, leaves out border and padding.
 */
export function pictureBox(element: Element): DOMRect {
  const rect = native.getBoundingClientRect(element)
  if (!isPicture(element)) return toWindowPixels(element, rect)
  const style = viewOf(element).getComputedStyle(element)
  const pixels = (side: string): number =>
    Number.parseFloat(style.getPropertyValue(`border-${side}-width`)) +
    Number.parseFloat(style.getPropertyValue(`padding-${side}`))
  const [left, right, top, bottom] = [
    pixels('left'),
    pixels('right'),
    pixels('top'),
    pixels('bottom'),
  ]
  // `transform` scales the border, too.
  const ownWidth = isSvg(element) ? rect.width : native.offsetWidth(element)
  const scale = ownWidth > 0 ? rect.width / ownWidth : 1
  const box = new DOMRect(
    rect.x + left * scale,
    rect.y + top * scale,
    Math.max(0, rect.width - (left + right) * scale),
    Math.max(0, rect.height - (top + bottom) * scale),
  )
  return toWindowPixels(element, box)
}
