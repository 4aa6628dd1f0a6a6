import { ancestorsOf, descendantsOf, isDisplayed, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import { type LivePage, scrub } from '../outline/live-page.ts'
import { isExcluded, isInExcluded, requireReadable } from '../outline/region.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { PageError } from '../page-error.ts'
import { isMasked } from '../privacy.ts'
import { unseenBox } from '../sight/unseen.ts'
import type { Picture } from './picture.ts'

/** Least blur that hides a picture. Standard deviation in CSS pixels. */
const LEAST_BLUR = 2
const BLURS = /blur\(([\d.e-]+)px\)/g

/** Attributes that describe a picture in words. */
const WORDS = ['alt', 'title', 'aria-label', 'aria-description', 'aria-roledescription']

/**
 * Throws unless a person sees the picture, and nothing in it is kept from the model. `parts`: what it shows beside its
 * own content. `name`: its name in errors.
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
  const inside = [picture, ...parts].flatMap((one) => [...descendantsOf(one)])
  const isKept =
    parts.some((one) => isMasked(one, options) || isInExcluded(one, options)) ||
    inside.some((one) => isMasked(one, options) || isExcluded(one, options))
  if (isKept || holdsSecrets([picture, ...parts, ...inside], live))
    throw new PageError(
      'unsupported',
      `${name} shows something that is masked: no picture of it is given. Read it with read_page.`,
    )
}

function unclearReason(picture: Picture): string | null {
  if (!isDisplayed(picture, { opacityProperty: true })) return 'it is transparent'
  const unseen = unseenBox(picture)
  if (unseen) return `nobody can see it (${unseen})`
  return blurOf(picture) >= LEAST_BLUR ? 'it is blurred, and nobody can see it' : null
}

/** Blur of the picture and everything around it: nested blurs add up. */
function blurOf(picture: Picture): number {
  const radii = [picture, ...ancestorsOf(picture)].flatMap((one) =>
    [...viewOf(one).getComputedStyle(one).filter.matchAll(BLURS)].map(([, radius]) =>
      Number(radius),
    ),
  )
  return Math.hypot(...radii)
}

/** Whether its words hold a secret that is elsewhere on the page, such as a card's number. */
function holdsSecrets(elements: readonly Element[], live: LivePage): boolean {
  const texts = elements.flatMap((element) => [
    ...WORDS.map((word) => native.getAttribute(element, word) ?? ''),
    ...[...native.childNodes(element)]
      .filter((node) => native.nodeType(node) === 3)
      .map((node) => native.nodeValue(node) ?? ''),
  ])
  const words = texts.map((text) => text.trim()).filter(Boolean)
  // Each letter of a word may have an element of its own.
  return ['\n', ''].map((between) => words.join(between)).some((text) => scrub(text, live) !== text)
}
