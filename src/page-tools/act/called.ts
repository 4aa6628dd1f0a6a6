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

/** A control's name, place and state. All texts come from the page: untrusted content. */
export interface Called {
  readonly role: string
  readonly name: string
  /** The row, item, dialog or region around the control: ` (in row "Ada")`. Empty: none. */
  readonly place: string
  /** Set if the place must stay the same: `item`, whose elements are reused for other items, or a named `part`. */
  readonly placedIn?: 'item' | 'part'
  /** State of a switch, checkbox or toggle button before the action. */
  readonly now?: 'on' | 'off' | 'mixed'
}

/** A control with its full texts. `called` shortens them, as the approval shows them. */
export interface FullyCalled {
  readonly called: Called
  /** For digests, without secrets: the full name and place, and the values that the control sends. */
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
  // Scrub first, then shorten: the beginning of a secret that is cut would stay.
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
      // The name of a whole page is all its text: leave it out.
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

/** Name and value that the control itself submits, or that a script may read from it. */
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

/**
 * Whether both describe the same control, ignoring clocks that ran on. `isUntouched`: no action has changed its
 * surroundings yet.
 */
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
