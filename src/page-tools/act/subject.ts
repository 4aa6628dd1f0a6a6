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

/** An element as an approval shows it. All texts come from the page: untrusted content. */
export interface Subject extends Called {
  /** Value of a field, masked if it must be. */
  readonly value?: string
  /** Other fields of its form that are sent along. */
  readonly fields?: FormFields
  /** Digest of the text of the dialog that the action ends. */
  readonly dialog?: string
  /** Digest of the values that the chosen options of a native select send. Undefined: it has none of them yet. */
  readonly chosen?: string
  /** Address of its link or form, host first. */
  readonly leadsTo?: string
  /** Digest of the whole address. */
  readonly address?: string
  /** Effect that commits the person: `has an effect ("pay")`. */
  readonly does?: string
  /** Controls around it, or to which it passes the action on. */
  readonly activates?: readonly Called[]
  /** Digest of all names and places in full. */
  readonly whole: string
  /** Digest of the values that the controls themselves send. */
  readonly sends: string
  readonly ref: string
}

const VALUE_LIMIT = 100

export function subjectOf(element: Element, live: LivePage, doing: Doing): Subject {
  const { options } = live
  const clean = scrubber(live)
  // Read the name first: it may mark the value as secret.
  const own = calledOf(element, live)
  const value = valueText(standaloneNode(element, options), options)
  const does = commitOf(element, doing, options)
  const activation = activationOf(doing.action)
  const used = usedBy(element, doing)
  const behind = controlsBehind(used, doing.action).filter((one) => one !== element)
  const controls = behind.map((one) => calledOf(one, live))
  const leadsTo = activation && destinationOf(used, activation)
  // Typed text is in the call, so its field is left out. A pressed key sends the field's own value.
  const typed = doing.action === 'enter' && doing.key === undefined ? used : null
  const fields = activation && fieldsBeside(used, activation, { options, clean, typed })
  const dialog = activation && dialogDigest(used, options)
  const chosen = choicesOf(element, doing.labels ?? [], options).filter((one) =>
    isTag(one, 'option'),
  )
  return {
    ...own.called,
    // Scrub first, then shorten: the beginning of a secret that is cut would stay.
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

/** Digest of the whole address that the element leads to. Null: it leads nowhere. */
export function addressDigest(element: Element, doing: Doing, live: LivePage): string | null {
  const activation = activationOf(doing.action)
  const url = activation && destinationOf(usedBy(element, doing), activation)
  return url ? textDigest(scrubber(live)(url.href)) : null
}

/** How strictly the element must match the approved one. */
export interface Sameness {
  /** Time since the approval was requested. */
  readonly elapsedMs: number
  /** Nothing has been done yet that may have changed the surroundings. Default true. */
  readonly isUntouched?: boolean
}

/** Whether an element is the approved one. Ignores its value, other fields of its form, and clocks that ran on. */
export function isSameSubject(
  asked: Subject & Doing,
  now: Subject,
  { elapsedMs, isUntouched = true }: Sameness,
): boolean {
  const how = { elapsedMs, isUntouched }
  // A list that was open when approval was requested may be closed now: its options are unknown then.
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

/** Whether the other fields of the form and the dialog's text are unchanged. */
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

/** Digest of the text of the dialog around the element, such as for whom, or how much. */
function dialogDigest(element: Element, options: PageOptions): string | null {
  const dialog = closest(element, DIALOGS)
  if (!dialog) return null
  return nameDigest(cleanText(readableText(dialog, options, Infinity)))
}

/** Line for an approval or an error: `button "Delete" (in row "Ada"), leads to https://…, deletes ("delete")`. */
export function subjectLine(subject: Subject): string {
  const { value, fields, leadsTo, does, activates = [], place } = subject
  const holds = value ? `, which holds ${quoted(value)}` : ''
  // A place that both share is mentioned once.
  const behind = activates.map((one) =>
    calledLine(one.place === place ? { ...one, place: '' } : one),
  )
  const presses = behind.length > 0 ? `, which activates ${behind.join(' and ')}` : ''
  const leads = leadsTo ? `, leads to ${escapeMarks(leadsTo)}` : ''
  const along = fields?.text ? `, with ${fields.text}` : ''
  return `${calledLine(subject)}${holds}${presses}${along}${leads}${does ? `, ${does}` : ''}`
}
