import { textDigest } from '../../lib/text-digest.ts'
import { cleanText, escapeMarks, shorten } from '../clean-text.ts'
import { closest, isTag } from '../dom.ts'
import { type LivePage, scrubber } from '../outline/live-page.ts'
import type { PageOptions } from '../options.ts'
import { valueText } from '../read/line.ts'
import { readableText } from '../read/readable-text.ts'
import { standaloneNode } from '../read/standalone-node.ts'
import { refOf } from '../refs.ts'
import { controlsBehind } from './activated.ts'
import { askedAddress } from './asked-address.ts'
import { type Called, calledLine, calledOf, isCalledSame, quoted } from './called.ts'
import { choicesOf } from './choices.ts'
import { isSameName, nameDigest } from './same-name.ts'
import { activationOf, commitOf, type Doing, usedBy } from './commits.ts'
import { fieldsBeside, type FormFields } from './form-fields.ts'
import { destinationOf } from './sites.ts'

/** An element as a person is asked about it. All texts are the page's: data. */
export interface Subject extends Called {
  /** Of a field, masked where it must be. */
  readonly value?: string
  /** What goes along with it, of its form. */
  readonly fields?: FormFields
  /** A digest of all that the dialog says that it ends. */
  readonly dialog?: string
  /** A digest of what the options of a native select send that are to be chosen. Undefined: it has none of them yet. */
  readonly chosen?: string
  /** The address that its link or form leads to, its host first. */
  readonly leadsTo?: string
  /** A digest of all of that address. */
  readonly address?: string
  /** What it commits the person to: `pays ("pay")`. */
  readonly does?: string
  /** The controls that it is a part of, or passes the action on to. */
  readonly activates?: readonly Called[]
  /** A digest of all of the names and places. */
  readonly whole: string
  /** A digest of what the controls themselves send. */
  readonly sends: string
  readonly ref: string
}

const VALUE_LIMIT = 100

export function subjectOf(element: Element, live: LivePage, doing: Doing): Subject {
  const { options } = live
  const clean = scrubber(live)
  // The name first: it may say that the value is secret.
  const own = calledOf(element, live)
  const value = valueText(standaloneNode(element, options), options)
  const does = commitOf(element, doing, options)
  const activation = activationOf(doing.action)
  const used = usedBy(element, doing)
  const behind = controlsBehind(used, doing.action).filter((one) => one !== element)
  const controls = behind.map((one) => calledOf(one, live))
  const leadsTo = activation && destinationOf(used, activation)
  // What a key is pressed on holds what is sent; what is typed is in the call.
  const typed = doing.action === 'enter' && doing.key === undefined ? used : null
  const fields = activation && fieldsBeside(used, activation, { options, clean, typed })
  const dialog = activation && dialogDigest(used, options)
  const chosen = choicesOf(element, doing.labels ?? [], options).filter((one) =>
    isTag(one, 'option'),
  )
  return {
    ...own.called,
    // Of a secret that is cut, the beginning would stay.
    ...(value && { value: shorten(clean(value), VALUE_LIMIT) }),
    ...(fields && { fields }),
    ...(dialog && { dialog }),
    ...(chosen.length > 0 && {
      chosen: textDigest(JSON.stringify(chosen.map(({ value }) => clean(value)))),
    }),
    ...(leadsTo && {
      leadsTo: askedAddress(leadsTo, { clean }),
      address: textDigest(clean(leadsTo.href)),
    }),
    ...(does && { does }),
    ...(controls.length > 0 && { activates: controls.map(({ called }) => called) }),
    whole: nameDigest(JSON.stringify([own, ...controls].map(({ whole }) => whole))),
    sends: textDigest(JSON.stringify([own, ...controls].map(({ sends }) => sends))),
    ref: refOf(element),
  }
}

/** A digest of all of the address to which the element leads. */
export function addressDigest(element: Element, doing: Doing, live: LivePage): string | null {
  const activation = activationOf(doing.action)
  const url = activation && destinationOf(usedBy(element, doing), activation)
  return url ? textDigest(scrubber(live)(url.href)) : null
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
  const how = { elapsedMs, isUntouched }
  // A list that was open when a person was asked may have been closed since: its options are unknown then.
  const isClosedList = asked.action === 'select' && now.does === undefined
  const [before, after] = [asked.activates ?? [], now.activates ?? []]
  return (
    isCalledSame(asked, now, how) &&
    before.length === after.length &&
    before.every((one, index) => isCalledSame(one, after[index] ?? now, how)) &&
    (!isUntouched ||
      isClosedList ||
      (isSameName(asked.whole, now.whole, elapsedMs) && asked.sends === now.sends)) &&
    asked.leadsTo === now.leadsTo &&
    asked.address === now.address &&
    (asked.chosen === undefined || now.chosen === undefined || asked.chosen === now.chosen) &&
    (asked.does === now.does || isClosedList)
  )
}

/** Whether the same goes along with it, and its dialog says the same. */
export function hasSameAround(
  asked: Subject,
  now: Subject,
  { elapsedMs }: Pick<Sameness, 'elapsedMs'>,
): boolean {
  return (
    asked.fields?.digest === now.fields?.digest &&
    isSameName(asked.dialog ?? '', now.dialog ?? '', elapsedMs)
  )
}

const DIALOGS = 'dialog,[role=dialog],[role=alertdialog]'

/** Of a question's words below its title: for whom, how much. */
function dialogDigest(element: Element, options: PageOptions): string | null {
  const dialog = closest(element, DIALOGS)
  if (!dialog) return null
  return nameDigest(cleanText(readableText(dialog, options, Infinity)))
}

/** One line for the person, and of an error: `button "Delete" (in row "Ada"), leads to https://…, deletes ("delete")`. */
export function subjectLine(subject: Subject): string {
  const { value, fields, leadsTo, does, activates = [], place } = subject
  const holds = value ? `, which holds ${quoted(value)}` : ''
  // In the same place, it is said once.
  const behind = activates.map((one) =>
    calledLine(one.place === place ? { ...one, place: '' } : one),
  )
  const presses = behind.length > 0 ? `, which activates ${behind.join(' and ')}` : ''
  const leads = leadsTo ? `, leads to ${escapeMarks(leadsTo)}` : ''
  const along = fields?.text ? `, with ${fields.text}` : ''
  return `${calledLine(subject)}${holds}${presses}${along}${leads}${does ? `, ${does}` : ''}`
}
