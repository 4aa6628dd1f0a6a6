import { ancestorsOf, descendantsOf, isDisplayed, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import { type LivePage, scrub } from '../outline/live-page.ts'
import { isExcluded, isInExcluded, requireReadable } from '../outline/region.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { PageError } from '../page-error.ts'
import { isMasked } from '../privacy.ts'
import { unseenBox } from '../sight/unseen.ts'
import type { Picture } from './picture.ts'

/** What is blurred by less can still be made out. CSS pixels, of the standard deviation. */
const LEAST_BLUR = 2
const BLURS = /blur\(([\d.e-]+)px\)/g

/** Words of a picture that stand in the page. */
const WORDS = ['alt', 'title', 'aria-label', 'aria-description', 'aria-roledescription']

/**
 * Throws unless a person sees the picture, and nothing that it shows is kept from the model. `parts`: what it shows
 * beside its own content. `name`: what it is called in an error.
 */
export function requireShowable(
  picture: Picture,
  parts: readonly Element[],
  { live, name }: { readonly live: LivePage; readonly name: string },
): void {
  const { options } = live
  // It may stand elsewhere than the element it was named by, or have been moved since.
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

/** That of all that is around it, too: one blur over another is a larger one. */
function blurOf(picture: Picture): number {
  const radii = [picture, ...ancestorsOf(picture)].flatMap((one) =>
    [...viewOf(one).getComputedStyle(one).filter.matchAll(BLURS)].map(([, radius]) =>
      Number(radius),
    ),
  )
  return Math.hypot(...radii)
}

/** Whether its words hold a secret that the page has elsewhere, such as the number of a card. */
function holdsSecrets(elements: readonly Element[], live: LivePage): boolean {
  const texts = elements.flatMap((element) => [
    ...WORDS.map((word) => native.getAttribute(element, word) ?? ''),
    ...[...native.childNodes(element)]
      .filter((node) => native.nodeType(node) === 3)
      .map((node) => native.nodeValue(node) ?? ''),
  ])
  const words = texts.map((text) => text.trim()).filter(Boolean)
  // Letters of a word may each have an element of their own.
  return ['\n', ''].map((between) => words.join(between)).some((text) => scrub(text, live) !== text)
}
