import { quote, shorten } from '../clean-text.ts'
import { isTag } from '../dom.ts'
import { type LivePage, scrubber } from '../outline/live-page.ts'
import * as native from '../native.ts'
import { nameOf } from '../outline/name.ts'
import { roleOf } from '../outline/role.ts'
import { checkedState } from '../outline/state.ts'
import { isMasked } from '../privacy.ts'
import { placeNote, placeOf } from '../read/place.ts'
import { readableText } from '../read/readable-text.ts'
import { RENEWED } from './form-fields.ts'
import { isSameName } from './same-name.ts'

/** What a control is called, where it is, and whether it is on. All texts are the page's: data. */
export interface Called {
  readonly role: string
  readonly name: string
  /** The row, item, dialog or region that it is in: ` (in row "Ada")`. Empty: none. */
  readonly place: string
  /** Whether that place counts: an item, whose elements are used again for other ones, or a part that has a name. */
  readonly placedIn?: 'item' | 'part'
  /** Of what is switched, checked or pressed: what it is before the action. */
  readonly now?: 'on' | 'off' | 'mixed'
}

/** The same with all of it, of which a dialog shows the beginning. */
export interface FullyCalled {
  readonly called: Called
  /** For a digest, without secrets: what it is called in full, and what it sends. */
  readonly whole: readonly string[]
  readonly sends: readonly string[]
}

const NAME_LIMIT = 100

export function calledOf(element: Element, live: LivePage): FullyCalled {
  const { options } = live
  const clean = scrubber(live)
  const role = roleOf(element)
  const isPage = isTag(element, 'body') || isTag(element, 'html')
  const text = isMasked(element, options) ? '' : readableText(element, options)
  const ownName = nameOf(element, role || 'button', options).text
  const place = placeOf(element, options, Infinity)
  const placedIn = place?.of === 'item' ? 'item' : place?.of === 'named' ? 'part' : null
  const now = toggleState(element)
  // Whole texts are cleaned: of a secret that is cut, the beginning would stay.
  const name = clean(ownName || text)
  return {
    called: {
      role: role || 'generic',
      name: shorten(name, NAME_LIMIT),
      place: placeNote(place, clean),
      ...(placedIn && { placedIn }),
      ...(now && { now }),
    },
    whole: [
      // What a page is called by is all that it shows.
      isPage ? '' : name,
      placedIn && place ? clean(place.label) : '',
    ],
    sends: sentBy(element).map(clean),
  }
}

function toggleState(element: Element): Called['now'] | null {
  const pressed = native.getAttribute(element, 'aria-pressed')
  const state = checkedState(element) ?? (PRESSED.test(pressed ?? '') ? pressed : null)
  if (state === null) return null
  if (state === 'mixed') return 'mixed'
  return state === true || state === 'true' ? 'on' : 'off'
}

const PRESSED = /^(true|false|mixed)$/

/** What a control itself sends, or a script takes from it. */
function sentBy(element: Element): readonly string[] {
  if (isTag(element, 'option')) return [element.value]
  const sends =
    isTag(element, 'button') ||
    (isTag(element, 'input') && /^(checkbox|radio|submit|image|button)$/.test(element.type))
  return sends && !RENEWED.test(element.name) ? [element.name, element.value] : []
}

/** `button "Delete" (in row "Ada"), now off`. */
export function calledLine({ role, name, place, now }: Called): string {
  return `${name ? `${role} ${quoted(name)}` : role}${place}${now ? `, now ${now}` : ''}`
}

export function quoted(text: string): string {
  return quote(text.replace(/"/g, "'"))
}

/** Whether it is called the same, but for clocks that ran. `isUntouched`: nothing was done yet around it. */
export function isCalledSame(
  asked: Called,
  now: Called,
  { elapsedMs, isUntouched }: { readonly elapsedMs: number; readonly isUntouched: boolean },
): boolean {
  const placeCounts = asked.placedIn === 'item' || (asked.placedIn === 'part' && isUntouched)
  return (
    asked.role === now.role &&
    isSameName(asked.name, now.name, elapsedMs) &&
    (!placeCounts || isSameName(asked.place, now.place, elapsedMs)) &&
    (!isUntouched || asked.now === now.now)
  )
}
