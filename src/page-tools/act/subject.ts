import { escapeMarks, quote, shorten } from '../clean-text.ts'
import { type LivePage, scrubber } from '../outline/live-page.ts'
import { nameOf } from '../outline/name.ts'
import { roleOf } from '../outline/role.ts'
import { isMasked } from '../privacy.ts'
import { placeNote } from '../read/find.ts'
import { valueText } from '../read/line.ts'
import { readableText } from '../read/readable-text.ts'
import { standaloneNode } from '../read/standalone-node.ts'
import { refOf } from '../refs.ts'
import { askedAddress } from './asked-address.ts'
import { isSameName } from './same-name.ts'
import { activationOf, commitOf, type Doing } from './commits.ts'
import { destinationOf } from './sites.ts'

/** An element as a person is asked about it. All texts are the page's: data. */
export interface Subject {
  readonly role: string
  readonly name: string
  /** The row, item, dialog or region that it is in: ` (in row "Ada")`. Empty: none. */
  readonly place: string
  /** Of a field, masked where it must be. */
  readonly value?: string
  /** The address that its link or form leads to, its host first. */
  readonly leadsTo?: string
  /** What it commits the person to: `pays ("pay")`. */
  readonly does?: string
  readonly ref: string
}

const NAME_LIMIT = 100
/** Their elements are used again for other items. */
const ITEMS = /^(row|listitem|treeitem|article|option)$/

export function subjectOf(element: Element, live: LivePage, doing: Doing): Subject {
  const { options } = live
  const clean = scrubber(live)
  // Whole texts are cleaned: of a secret that is cut, the beginning would stay.
  const short = (whole: string): string => shorten(clean(whole), NAME_LIMIT)
  const node = standaloneNode(element, options)
  const role = roleOf(element)
  const text = isMasked(element, options) ? '' : readableText(element, options)
  const value = valueText(node)
  const does = commitOf(element, doing, options)
  const activation = activationOf(doing.action)
  const leadsTo = activation && destinationOf(element, activation)
  return {
    role: role || 'generic',
    name: short(nameOf(element, role || 'button', options).text || text),
    place: placeNote(element, options, clean),
    ...(value && { value: short(value) }),
    ...(leadsTo && { leadsTo: askedAddress(leadsTo, { clean }) }),
    ...(does && { does }),
    ref: refOf(element),
  }
}

/** Whether an element is what a person was asked about: all but its value, and clocks that ran. */
export function isSameSubject(asked: Subject, now: Subject, elapsedMs: number): boolean {
  const isSamePlace = !isInItem(asked) || isSameName(asked.place, now.place, elapsedMs)
  return (
    asked.role === now.role &&
    isSameName(asked.name, now.name, elapsedMs) &&
    isSamePlace &&
    asked.leadsTo === now.leadsTo &&
    asked.does === now.does
  )
}

function isInItem({ place }: Subject): boolean {
  return ITEMS.test(/^ \(in (\w+)/.exec(place)?.[1] ?? '')
}

/** One line for the person, and of an error: `button "Delete" (in row "Ada"), leads to https://…, deletes ("delete")`. */
export function subjectLine({ role, name, place, value, leadsTo, does }: Subject): string {
  const head = name ? `${role} ${quoted(name)}` : role
  const holds = value ? `, which holds ${quoted(value)}` : ''
  const leads = leadsTo ? `, leads to ${escapeMarks(leadsTo)}` : ''
  return `${head}${place}${holds}${leads}${does ? `, ${does}` : ''}`
}

function quoted(text: string): string {
  return quote(text.replace(/"/g, "'"))
}
