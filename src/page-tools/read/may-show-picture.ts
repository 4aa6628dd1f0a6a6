import { ancestorsOf, descendantsOf, isDisplayed, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import { type LivePage, scrub } from '../outline/live-page.ts'
import { isExcluded } from '../outline/region.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { PageError } from '../page-error.ts'
import { isMasked } from '../privacy.ts'
import type { Picture } from './picture.ts'

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
  const hidden = hiddenReason(picture) ?? unseenReason(picture)
  if (hidden) throw new PageError('hidden', `${name} can't be looked at: ${hidden}.`)
  const { options } = live
  if (isMasked(picture, options))
    throw new PageError('unsupported', `${name} is masked: no picture of it is given.`)
  const inside = [picture, ...parts].flatMap((one) => [...descendantsOf(one)])
  const isKept = (one: Element): boolean => isMasked(one, options) || isExcluded(one, options)
  if ([...parts, ...inside].some(isKept) || holdsSecrets([picture, ...parts, ...inside], live))
    throw new PageError(
      'unsupported',
      `${name} shows something that is masked: no picture of it is given. Read it with read_page.`,
    )
}

function unseenReason(picture: Picture): string | null {
  if (!isDisplayed(picture, { opacityProperty: true })) return 'it is transparent'
  for (const one of [picture, ...ancestorsOf(picture)])
    if (viewOf(one).getComputedStyle(one).filter.includes('blur('))
      return 'it is blurred, and nobody can see it'
  return null
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
