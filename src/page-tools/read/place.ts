import { quote, shorten } from '../clean-text.ts'
import { ancestorsOf, descendantsOf } from '../dom.ts'
import * as native from '../native.ts'
import { nameOf } from '../outline/name.ts'
import { isReadable } from '../outline/region.ts'
import { roleOf } from '../outline/role.ts'
import type { PageOptions } from '../options.ts'
import { isMasked } from '../privacy.ts'
import { readableText } from './readable-text.ts'

/** Surroundings of an element with their label, which tell equal elements apart. */
export interface Place {
  readonly role: string
  /** Empty: masked. */
  readonly label: string
  /** Source of the label: an item of a list, a part with a name or a title, or the words of a part without. */
  readonly of: 'item' | 'named' | 'words'
}

const ITEMS = /^(row|listitem|article|treeitem)$/
const DIALOGS = /^(dialog|alertdialog)$/
const PARTS = /^(region|form|group|tabpanel)$/
const TITLES = 'h1,h2,h3,h4,h5,h6,[role=heading]'
const LABEL_LIMIT = 60

/**
 * The nearest item, dialog or named part around an element, else the nearest part without a name. `limit`: characters.
 */
export function placeOf(element: Element, options: PageOptions, limit?: number): Place | null {
  let unnamed: Place | null = null
  for (const at of ancestorsOf(element)) {
    const role = roleOf(at)
    const isItem = ITEMS.test(role)
    if (!isItem && !DIALOGS.test(role) && !PARTS.test(role)) continue
    if (isMasked(at, options)) return unnamed ?? { role, label: '', of: 'words' }
    const name = nameOf(at, role, options).text || (isItem ? '' : titleIn(at, options))
    const label = name || readableText(at, options, limit)
    if (!label) continue
    if (isItem) return { role, label, of: 'item' }
    // The words of a dialog are its question.
    if (name || DIALOGS.test(role)) return { role, label, of: 'named' }
    unnamed ??= { role, label, of: 'words' }
  }
  return unnamed
}

/** ` (in row "Ada")`; empty for none. `clean`: removes secrets. */
export function placeNote(place: Place | null, clean: (text: string) => string): string {
  if (!place) return ''
  const { role, label } = place
  if (!label) return ` (in ${role})`
  // Scrub first, then shorten: the beginning of a secret that is cut would stay.
  return ` (in ${role} ${quote(shorten(clean(label), LABEL_LIMIT).replace(/"/g, "'"))})`
}

export function titleIn(part: Element, options: PageOptions): string {
  for (const one of descendantsOf(part))
    if (native.matches(one, TITLES))
      return isReadable(one, options) && !isMasked(one, options) ? readableText(one, options) : ''
  return ''
}
