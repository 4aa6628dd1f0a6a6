import { textDigest } from '../../lib/text-digest.ts'
import { cleanText, escapeMarks, quote, shorten } from '../clean-text.ts'
import { closest } from '../dom.ts'
import { type LivePage, scrubber } from '../outline/live-page.ts'
import type { PageOptions } from '../options.ts'
import { nameOf } from '../outline/name.ts'
import { roleOf } from '../outline/role.ts'
import { isMasked } from '../privacy.ts'
import { valueText } from '../read/line.ts'
import { placeNote, placeOf } from '../read/place.ts'
import { readableText } from '../read/readable-text.ts'
import { standaloneNode } from '../read/standalone-node.ts'
import { refOf } from '../refs.ts'
import { askedAddress } from './asked-address.ts'
import { isSameName, withoutClocks } from './same-name.ts'
import { activationOf, commitOf, type Doing, usedBy } from './commits.ts'
import { fieldsBeside, type FormFields } from './form-fields.ts'
import { destinationOf } from './sites.ts'

/** An element as a person is asked about it. All texts are the page's: data. */
export interface Subject {
  readonly role: string
  readonly name: string
  /** The row, item, dialog or region that it is in: ` (in row "Ada")`. Empty: none. */
  readonly place: string
  /** Whether that place counts: an item, whose elements are used again for other ones, or a part that has a name. */
  readonly placedIn?: 'item' | 'part'
  /** Of a field, masked where it must be. */
  readonly value?: string
  /** What goes along with it, of its form. */
  readonly fields?: FormFields
  /** A digest of all that the dialog says that it ends, without clocks. */
  readonly dialog?: string
  /** The address that its link or form leads to, its host first. */
  readonly leadsTo?: string
  /** What it commits the person to: `pays ("pay")`. */
  readonly does?: string
  readonly ref: string
}

const NAME_LIMIT = 100

export function subjectOf(element: Element, live: LivePage, doing: Doing): Subject {
  const { options } = live
  const clean = scrubber(live)
  // Whole texts are cleaned: of a secret that is cut, the beginning would stay.
  const short = (whole: string): string => shorten(clean(whole), NAME_LIMIT)
  const node = standaloneNode(element, options)
  const role = roleOf(element)
  const text = isMasked(element, options) ? '' : readableText(element, options)
  // The name first: it may say that the value is secret.
  const name = short(nameOf(element, role || 'button', options).text || text)
  const value = valueText(node)
  const does = commitOf(element, doing, options)
  const activation = activationOf(doing.action)
  const used = usedBy(element, doing)
  const leadsTo = activation && destinationOf(used, activation)
  const place = placeOf(element, options)
  const placedIn = place?.of === 'item' ? 'item' : place?.of === 'named' ? 'part' : null
  // What a key is pressed on holds what is sent; what is typed is in the call.
  const typed = doing.action === 'enter' && doing.key === undefined ? used : null
  const fields = activation && fieldsBeside(used, activation, { options, clean, typed })
  const dialog = activation && dialogDigest(used, options)
  return {
    role: role || 'generic',
    name,
    place: placeNote(place, clean),
    ...(placedIn && { placedIn }),
    ...(value && { value: short(value) }),
    ...(fields && { fields }),
    ...(dialog && { dialog }),
    ...(leadsTo && { leadsTo: askedAddress(leadsTo, { clean }) }),
    ...(does && { does }),
    ref: refOf(element),
  }
}

/** How far what was asked about must be the same. */
export interface Sameness {
  /** Since a person was asked. */
  readonly elapsedMs: number
  /** Nothing was done yet that may have changed what is around it. Default true. */
  readonly isUntouched?: boolean
}

/** Whether an element is what a person was asked about: all but its value and what goes along, and clocks that ran. */
export function isSameSubject(
  asked: Subject & Doing,
  now: Subject,
  { elapsedMs, isUntouched = true }: Sameness,
): boolean {
  const placeCounts = asked.placedIn === 'item' || (asked.placedIn === 'part' && isUntouched)
  // A list that was open when a person was asked may have been closed since: its options are unknown then.
  const isClosedList = asked.action === 'select' && now.does === undefined
  return (
    asked.role === now.role &&
    isSameName(asked.name, now.name, elapsedMs) &&
    (!placeCounts || isSameName(asked.place, now.place, elapsedMs)) &&
    asked.leadsTo === now.leadsTo &&
    (asked.does === now.does || isClosedList)
  )
}

/** Whether the same goes along with it, and its dialog says the same. */
export function hasSameAround(asked: Subject, now: Subject): boolean {
  return asked.fields?.digest === now.fields?.digest && asked.dialog === now.dialog
}

const DIALOGS = 'dialog,[role=dialog],[role=alertdialog]'

/** Of a question's words below its title: for whom, how much. */
function dialogDigest(element: Element, options: PageOptions): string | null {
  const dialog = closest(element, DIALOGS)
  if (!dialog) return null
  return textDigest(withoutClocks(cleanText(readableText(dialog, options, Infinity))))
}

/** One line for the person, and of an error: `button "Delete" (in row "Ada"), leads to https://…, deletes ("delete")`. */
export function subjectLine({ role, name, place, value, fields, leadsTo, does }: Subject): string {
  const head = name ? `${role} ${quoted(name)}` : role
  const holds = value ? `, which holds ${quoted(value)}` : ''
  const leads = leadsTo ? `, leads to ${escapeMarks(leadsTo)}` : ''
  const along = fields?.text ? `, with ${fields.text}` : ''
  return `${head}${place}${holds}${along}${leads}${does ? `, ${does}` : ''}`
}

function quoted(text: string): string {
  return quote(text.replace(/"/g, "'"))
}
