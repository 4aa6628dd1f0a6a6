import { textDigest } from '../../lib/text-digest.ts'
import { cleanText, escapeMarks, quote, shorten } from '../clean-text.ts'
import { closest, isTag } from '../dom.ts'
import { type LivePage, scrubber } from '../outline/live-page.ts'
import type { PageOptions } from '../page.ts'
import { standaloneNode, valueText } from '../read/line.ts'
import { readableText } from '../read/readable-text.ts'
import { ensureRef } from '../refs.ts'
import { findActivatedControls } from './guard-actions.ts'
import { choicesOf } from './option-list.ts'
import { activationOf, commitOf, DIALOGS, type ElementAction, getUsedElement } from './commits.ts'
import { type Activation, destinationOf, elementsOf, formSubmittedBy } from './sites.ts'
import * as native from '../native.ts'
import { getAccessibleName } from '../outline/name.ts'
import { getShownRole } from '../outline/role.ts'
import { checkedState, fieldValue } from '../outline/state.ts'
import { isMasked } from '../secrets/secret-fields.ts'
import { placeNote, placeOf } from '../read/find.ts'
import { lazyPattern } from '../../lib/once.ts'
import { isReadable } from '../outline/region.ts'

/** Maximum characters of a host, and of the rest of an address. */
const HOST_LIMIT = 60
const REST_LIMIT = 200

interface AddressOptions {
  /** Removes secrets. */
  readonly clean?: (text: string) => string
  readonly limit?: number
}

/**
 * Formats an address for an approval. The real host comes first. Text that a URL may have before its host
 * (`https://shop.example%2Flogin@other.example`) is only mentioned. A long host keeps its end, which names its owner.
 * Pure.
 */
export function formatApprovalAddress(
  url: URL,
  { clean = (text) => text, limit = REST_LIMIT }: AddressOptions = {},
): string {
  const { protocol, host, pathname, search, hash, username, password } = url
  if (!host) return shorten(clean(url.href), limit)
  const path = shorten(clean(`${pathname}${search}${hash}`), limit)
  const note = username || password ? ' (with a user name or a password before its host)' : ''
  return `${protocol}//${shownHost(host, clean)}${path}${note}`
}

/** Never scrubs the host's last two labels, even if the page declares them a secret: they name its owner. */
function shownHost(host: string, clean: (text: string) => string): string {
  const end = host.slice(host.lastIndexOf('.', host.lastIndexOf('.') - 1) + 1)
  const formatted = `${clean(host.slice(0, -end.length))}${end}`
  return formatted.length > HOST_LIMIT ? `…${formatted.slice(-HOST_LIMIT)}` : formatted
}

/** Other form fields that an approved action submits: filled fields that may be read, and hidden fields. */
interface FormFields {
  /** The first fields, as the approval shows them: `"To": "Ada", "Amount": "10"`. */
  readonly text: string
  /** Digest of all fields in full: values may be long, and the journal only needs to tell whether they changed. */
  readonly digest: string
}

const MAX_SHOWN_FIELDS = 6
const BESIDE_NAME_LIMIT = 30
const BESIDE_VALUE_LIMIT = 40
const WITHOUT_VALUE = /^(button|submit|reset|image)$/
/** Names of hidden fields whose values scripts renew. */
const RENEWED: RegExp = /csrf|xsrf|token|nonce|captcha|verification/i

interface FieldsBesideOptions {
  readonly options: PageOptions
  /** Removes secrets. */
  readonly clean: (text: string) => string
  /** The field that the call itself fills. */
  readonly typed: Element | null
}

/** Returns null if no other field is submitted. */
function fieldsBeside(
  element: Element,
  activation: Activation,
  { options, clean, typed: typedField }: FieldsBesideOptions,
): FormFields | null {
  const form = formSubmittedBy(element, activation)
  if (!form) return null
  const filled = elementsOf(form).flatMap((field) => {
    const value = field === typedField || !mayShow(field, options) ? '' : getFieldValue(field)
    if (!value) return []
    const name = getAccessibleName(field, getShownRole(field) || 'textbox', options).text
    return [{ field, name, value, sent: sentWithField(field) }]
  })
  const hidden = hiddenFields(form, options)
  if (filled.length + hidden.length === 0) return null
  const shortText = (text: string, limit: number): string =>
    quote(shorten(clean(text), limit).replace(/"/g, "'"))
  const shown = filled
    .filter(({ field }) => field !== element)
    .map(
      ({ name, value }) =>
        `${name && `${shortText(name, BESIDE_NAME_LIMIT)}: `}${shortText(value, BESIDE_VALUE_LIMIT)}`,
    )
  const moreNote =
    shown.length > MAX_SHOWN_FIELDS ? `, and ${shown.length - MAX_SHOWN_FIELDS} more` : ''
  return {
    text: shown.slice(0, MAX_SHOWN_FIELDS).join(', ') + moreNote,
    digest: textDigest(
      JSON.stringify([filled.map(({ name, value, sent }) => [name, value, sent]), hidden]),
    ),
  }
}

/** Digest of everything that a form sends. Fields that a call fills in are included by name only. */
export function digestFormFields(
  form: HTMLFormElement,
  filled: readonly Element[],
  options: PageOptions,
): string {
  const sent = elementsOf(form).flatMap((field) => {
    if (!mayShow(field, options)) return []
    if (!filled.includes(field)) return [[...sentWithField(field), getFieldValue(field)]]
    return [isTag(field, 'select') ? [] : sentWithField(field)]
  })
  return textDigest(JSON.stringify([sent, hiddenFields(form, options)]))
}

function mayShow(field: Element, options: PageOptions): boolean {
  if (isTag(field, 'input') && (WITHOUT_VALUE.test(field.type) || isHidden(field))) return false
  if (/^(button|fieldset|object|output)$/.test(native.localName(field))) return false
  return isReadable(field, options) && !isMasked(field, options)
}

function getFieldValue(field: Element): string {
  const checked = checkedState(field)
  if (checked !== null) return checked === false ? '' : 'checked'
  return cleanText(fieldValue(field, getShownRole(field)) ?? '')
}

/** The name and value that a field sends. For a choice, the value differs from the text that is shown. */
function sentWithField(field: Element): readonly string[] {
  const name = native.getAttribute(field, 'name') ?? ''
  if (isTag(field, 'select')) return [name, ...[...field.selectedOptions].map(({ value }) => value)]
  return checkedState(field) === null ? [name] : [name, native.getAttribute(field, 'value') ?? '']
}

/** Names and values of the fields that nobody sees. */
function hiddenFields(form: HTMLFormElement, options: PageOptions): readonly (readonly string[])[] {
  return elementsOf(form).flatMap((field) =>
    isHidden(field) && !RENEWED.test(field.name) && !isMasked(field, options)
      ? [[field.name, field.value]]
      : [],
  )
}

function isHidden(field: Element): field is HTMLInputElement {
  return isTag(field, 'input') && field.type === 'hidden'
}

const UNIT =
  's(?:ek(?:unden?)?|ec(?:ond)?s?)?|m(?:in(?:ute)?[ns]?)?|h(?:(?:ou)?rs?)?|st(?:d|unden?)'
/**
 * Text that only a clock changes: digits like `0:45` or `12:00:59`; ages like `3 min ago`, `vor 3 Minuten`; seconds
 * left, like `in 30 s`, `30 s left`. Excludes a bare `2 h` or `5m`, which may be the duration or amount that somebody
 * pays for.
 */
const CLOCK = lazyPattern(
  () =>
    [
      String.raw`(?<!\p{Sc}\s?|[\d.,:])(\d{1,3}):(\d{2})(?::(\d{2}))?(?![\d:]|[.,]\d|\s?(?:\p{Sc}|(?:eur|euros?|usd|gbp|chf)(?!\p{L})))`,
      String.raw`(?<![\p{L}\d.,])(?:vor (\d+) ?(${UNIT})|in (\d+) ?(s(?:ek(?:unden?)?|ec(?:ond)?s?)?))(?![\p{L}\d])`,
      String.raw`(?<!\p{Sc}\s?|[\d.,])(?:(\d+) ?(${UNIT}) ago|(\d+) ?(s(?:ec(?:ond)?s?)?) (?:left|remaining))(?![\p{L}\d])`,
    ].join('|'),
  'giu',
)

const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600 }
/** Tolerated error of a clock that is updated or read a little early or late. Seconds. */
const TOLERANCE = 3
/** Maximum clocks in a journaled digest. Further clocks, as in a calendar, are compared like other words. */
const MAX_CLOCKS = 20

/**
 * Whether two names are equal except for clocks, which may have counted up or down by the elapsed time. All other
 * digits are compared: a changed price or duration makes a different name.
 */
export function isSameName(before: string, current: string, elapsedMs: number): boolean {
  if (before === current) return true
  const [first, second] = [[...before.matchAll(CLOCK())], [...current.matchAll(CLOCK())]]
  if (first.length === 0 || withoutClocks(before) !== withoutClocks(current)) return false
  return first.every((match, index) => {
    const other = second[index]
    return other !== undefined && isSameClock(match, other, elapsedMs / 1000)
  })
}

/** Digest of a text that is too long to keep. `isSameName` compares digests as it would compare the texts. */
export function nameDigest(text: string): string {
  const clocks: string[] = []
  const withoutClockTexts = text.replace(CLOCK(), (clock) => {
    if (clocks.length >= MAX_CLOCKS) return clock
    clocks.push(clock)
    return '\0'
  })
  return [textDigest(withoutClockTexts), ...clocks].join(' / ')
}

function withoutClocks(text: string): string {
  return text.replace(CLOCK(), '\0')
}

function isSameClock(before: RegExpExecArray, current: RegExpExecArray, elapsed: number): boolean {
  if (before[0] === current[0]) return true
  return readClock(before).some(({ at, unit }, index) => {
    const reading = readClock(current)[index]
    return (
      reading?.unit === unit && Math.abs(Math.abs(reading.at - at) - elapsed) <= unit + TOLERANCE
    )
  })
}

/**
 * Possible values of a clock in seconds. `12:30` has two: minutes and seconds, or hours and minutes. `unit`: seconds
 * per step of the last digit.
 */
function readClock([, high, middle, low, ...countParts]: RegExpExecArray): readonly {
  readonly at: number
  readonly unit: number
}[] {
  const [count, sign] = countParts.filter((part) => part !== undefined)
  if (count !== undefined && sign !== undefined) {
    const unit = UNIT_SECONDS[/^st/i.test(sign) ? 'h' : sign.charAt(0).toLowerCase()] ?? 1
    return [{ at: Number(count) * unit, unit }]
  }
  const [first, second] = [Number(high), Number(middle)]
  if (low !== undefined) return [{ at: first * 3600 + second * 60 + Number(low), unit: 1 }]
  return [
    { at: first * 60 + second, unit: 1 },
    { at: first * 3600 + second * 60, unit: 60 },
  ]
}

/** A control's name, place and state. All texts come from the page: untrusted content. */
interface ControlDescription {
  readonly role: string
  readonly name: string
  /** The row, item, dialog or region around the control: ` (in row "Ada")`. Empty if there is none. */
  readonly place: string
  /**
   * Set if the place must stay the same: an `item`, whose elements may be reused for other items, or a named `part`.
   */
  readonly placedIn?: 'item' | 'part'
  /** State of a switch, checkbox or toggle button before the action. */
  readonly now?: 'on' | 'off' | 'mixed'
}

/** A control with its full texts. `called` has them shortened for the approval. */
interface FullDescription {
  readonly called: ControlDescription
  /** Texts for digests, without secrets: the full name and place, and the values that the control sends. */
  readonly whole: readonly string[]
  readonly sends: readonly string[]
}

const NAME_LIMIT = 100

function describeInFull(element: Element, live: LivePage): FullDescription {
  const { options } = live
  const clean = scrubber(live)
  const role = getShownRole(element)
  const isPage = isTag(element, 'body') || isTag(element, 'html')
  const text = isMasked(element, options) ? '' : readableText(element, options)
  const ownName = getAccessibleName(element, role || 'button', options).text
  const place = placeOf(element, options, Infinity)
  const placedIn = place?.source === 'item' ? 'item' : place?.source === 'named' ? 'part' : null
  const toggle = toggleState(element)
  // Scrub before shortening: a secret that is cut off would no longer be recognized.
  const name = clean(ownName || text)
  return {
    called: {
      role: role || 'generic',
      name: shorten(name, NAME_LIMIT),
      place: placeNote(place, clean),
      ...(placedIn && { placedIn }),
      ...(toggle && { now: toggle }),
    },
    whole: [
      // The name of a whole page is all its text: leave it out.
      isPage ? '' : name,
      placedIn && place ? clean(place.label) : '',
    ],
    sends: submittedValues(element).map(clean),
  }
}

function toggleState(element: Element): ControlDescription['now'] | null {
  const pressed = native.getAttribute(element, 'aria-pressed')
  const state = checkedState(element) ?? (PRESSED.test(pressed ?? '') ? pressed : null)
  if (state === null) return null
  if (state === 'mixed') return 'mixed'
  return state === true || state === 'true' ? 'on' : 'off'
}

const PRESSED = /^(true|false|mixed)$/

/** Name and value that the control itself submits, or that a script may read from it. */
function submittedValues(element: Element): readonly string[] {
  if (isTag(element, 'option')) return [element.value]
  const isSubmitted =
    isTag(element, 'button') ||
    (isTag(element, 'input') && /^(checkbox|radio|submit|image|button)$/.test(element.type))
  return isSubmitted && !RENEWED.test(element.name) ? [element.name, element.value] : []
}

/** Formats a control: `button "Delete" (in row "Ada"), now off`. */
function formatControl({ role, name, place, now }: ControlDescription): string {
  return `${name ? `${role} ${quoted(name)}` : role}${place}${now ? `, now ${now}` : ''}`
}

export function quoted(text: string): string {
  return quote(text.replace(/"/g, "'"))
}

/**
 * Whether both describe the same control. Clocks in names may have moved by the elapsed time. `isUntouched`: no action
 * of the call has begun. The control's on/off state and the named part of the page around it must then be the same,
 * too.
 */
function isSameControl(
  approved: ControlDescription,
  current: ControlDescription,
  { elapsedMs, isUntouched }: { readonly elapsedMs: number; readonly isUntouched: boolean },
): boolean {
  const comparesPlace =
    approved.placedIn === 'item' || (approved.placedIn === 'part' && isUntouched)
  return (
    approved.role === current.role &&
    isSameName(approved.name, current.name, elapsedMs) &&
    (!comparesPlace || isSameName(approved.place, current.place, elapsedMs)) &&
    (!isUntouched || approved.now === current.now)
  )
}

/** An element as an approval shows it. All texts come from the page: untrusted content. */
export interface ApprovalTarget extends ControlDescription {
  /** Value of a field, masked if it must be. */
  readonly value?: string
  /** Other fields of its form that are submitted with it. */
  readonly fields?: FormFields
  /** Digest of the text of the dialog around the element. */
  readonly dialog?: string
  /**
   * Digest of the values that the chosen options of a native select submit. Undefined if the select doesn't have these
   * options yet.
   */
  readonly chosen?: string
  /** Address of its link or form, host first. */
  readonly leadsTo?: string
  /** Digest of the whole address. */
  readonly address?: string
  /** Effect that commits the person: `has an effect ("pay")`. */
  readonly does?: string
  /** Controls around the element, and controls that it activates. */
  readonly activates?: readonly ControlDescription[]
  /** Digest of all names and places in full. */
  readonly whole: string
  /** Digest of the values that the controls themselves send. */
  readonly sends: string
  readonly ref: string
}

const VALUE_LIMIT = 100

export function describeApprovalTarget(
  element: Element,
  live: LivePage,
  elementAction: ElementAction,
): ApprovalTarget {
  const { options } = live
  const clean = scrubber(live)
  // Read the name first: it may mark the value as secret.
  const description = describeInFull(element, live)
  const value = valueText(standaloneNode(element, options), options)
  const effect = commitOf(element, elementAction, options)
  const activation = activationOf(elementAction.action)
  const usedElement = getUsedElement(element, elementAction)
  const controlElements = findActivatedControls(usedElement, elementAction.action).filter(
    (candidate) => candidate !== element,
  )
  const controls = controlElements.map((item) => describeInFull(item, live))
  const leadsTo = activation && destinationOf(usedElement, activation)
  // A field that the call types into is left out: its text is in the call. A pressed key submits the field's own value.
  const typedField =
    elementAction.action === 'enter' && elementAction.key === undefined ? usedElement : null
  const fields =
    activation && fieldsBeside(usedElement, activation, { options, clean, typed: typedField })
  const dialog = activation && dialogDigest(usedElement, options)
  const chosenOptions = choicesOf(element, elementAction.labels ?? [], options).filter(
    (candidate) => isTag(candidate, 'option'),
  )
  return {
    ...description.called,
    // Scrub before shortening: a secret that is cut off would no longer be recognized.
    ...(value && { value: shorten(clean(value), VALUE_LIMIT) }),
    ...(fields && { fields }),
    ...(dialog && { dialog }),
    ...(chosenOptions.length > 0 && {
      chosen: textDigest(JSON.stringify(chosenOptions.map(({ value }) => clean(value)))),
    }),
    ...(leadsTo && {
      leadsTo: formatApprovalAddress(leadsTo, { clean }),
      address: textDigest(clean(leadsTo.href)),
    }),
    ...(effect && { does: effect }),
    ...(controls.length > 0 && { activates: controls.map(({ called }) => called) }),
    whole: nameDigest(JSON.stringify([description, ...controls].map(({ whole }) => whole))),
    sends: textDigest(JSON.stringify([description, ...controls].map(({ sends }) => sends))),
    ref: ensureRef(element),
  }
}

/** Digest of the whole address that the element leads to. Null if it leads nowhere. */
export function addressDigest(
  element: Element,
  elementAction: ElementAction,
  live: LivePage,
): string | null {
  const activation = activationOf(elementAction.action)
  const url = activation && destinationOf(getUsedElement(element, elementAction), activation)
  return url ? textDigest(scrubber(live)(url.href)) : null
}

/** How strictly the element must match the approved one. */
export interface Sameness {
  /** Time since the approval was requested. */
  readonly elapsedMs: number
  /** Whether no action of the call has begun, which might have changed the surroundings. Default true. */
  readonly isUntouched?: boolean
}

/**
 * Whether an element is the approved one. Ignores its value, other fields of its form, and clocks that kept counting.
 */
export function isSameApprovalTarget(
  approved: ApprovalTarget & ElementAction,
  current: ApprovalTarget,
  { elapsedMs, isUntouched = true }: Sameness,
): boolean {
  const options = { elapsedMs, isUntouched }
  // A list that was open when approval was requested may be closed now, and its options unknown.
  const isClosedList = approved.action === 'select' && current.does === undefined
  const [before, after] = [approved.activates ?? [], current.activates ?? []]
  return (
    isSameControl(approved, current, options) &&
    before.length === after.length &&
    before.every((candidate, index) =>
      isSameControl(candidate, after[index] ?? current, options),
    ) &&
    (!isUntouched ||
      isClosedList ||
      (isSameName(approved.whole, current.whole, elapsedMs) && approved.sends === current.sends)) &&
    approved.leadsTo === current.leadsTo &&
    approved.address === current.address &&
    (approved.chosen === undefined ||
      current.chosen === undefined ||
      approved.chosen === current.chosen) &&
    (approved.does === current.does || isClosedList)
  )
}

/** Whether the other fields of the form and the dialog's text are unchanged. */
export function hasSameSurroundings(
  approved: ApprovalTarget,
  current: ApprovalTarget,
  { elapsedMs }: Pick<Sameness, 'elapsedMs'>,
): boolean {
  return (
    approved.fields?.digest === current.fields?.digest &&
    isSameName(approved.dialog ?? '', current.dialog ?? '', elapsedMs)
  )
}

/** Digest of the text of the dialog around the element, which may say for whom or how much. */
function dialogDigest(element: Element, options: PageOptions): string | null {
  const dialog = closest(element, DIALOGS)
  if (!dialog) return null
  return nameDigest(cleanText(readableText(dialog, options, Infinity)))
}

/** Line for an approval or an error: `button "Delete" (in row "Ada"), leads to https://…, deletes ("delete")`. */
export function formatApprovalTarget(subject: ApprovalTarget): string {
  const { value, fields, leadsTo, does, activates = [], place } = subject
  const valueNote = value ? `, which holds ${quoted(value)}` : ''
  // A place that both controls share is mentioned once.
  const controlNotes = activates.map((item) =>
    formatControl(item.place === place ? { ...item, place: '' } : item),
  )
  const activationNote =
    controlNotes.length > 0 ? `, which activates ${controlNotes.join(' and ')}` : ''
  const destinationNote = leadsTo ? `, leads to ${escapeMarks(leadsTo)}` : ''
  const fieldsNote = fields?.text ? `, with ${fields.text}` : ''
  return `${formatControl(subject)}${valueNote}${activationNote}${fieldsNote}${destinationNote}${does ? `, ${does}` : ''}`
}
