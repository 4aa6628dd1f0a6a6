import { textDigest } from '../../lib/text-digest.ts'
import { cleanText, escapeMarks, quote, shorten } from '../clean-text.ts'
import { closest, isTag } from '../dom.ts'
import { type LivePage, scrubber } from '../outline/live-page.ts'
import type { PageOptions } from '../page.ts'
import { standaloneNode, valueText } from '../read/line.ts'
import { readableText } from '../read/readable-text.ts'
import { ensureRef } from '../refs.ts'
import { controlsBehind } from './guard-actions.ts'
import { choicesOf } from './option-list.ts'
import { activationOf, commitOf, DIALOGS, type ElementAction, usedBy } from './commits.ts'
import { type Activation, destinationOf, elementsOf, formSubmittedBy } from './sites.ts'
import * as native from '../native.ts'
import { getAccessibleName } from '../outline/name.ts'
import { getShownRole } from '../outline/role.ts'
import { checkedState, fieldValue } from '../outline/state.ts'
import { isMasked } from '../secrets/secret-fields.ts'
import { placeNote, placeOf } from '../read/find.ts'
import { lazyPattern } from '../../lib/once.ts'
import { isReadable } from '../outline/region.ts'

/** Characters of a host, and of the rest of the address. */
const HOST_LIMIT = 60
const REST_LIMIT = 200

interface Showing {
  /** Removes secrets. */
  readonly clean?: (text: string) => string
  readonly limit?: number
}

/**
 * Formats an address for an approval. The real host comes first. Text that may stand before a host
 * (`https://shop.example%2Flogin@other.example`) is only mentioned. A long host keeps its end, which names its owner.
 * Pure.
 */
export function formatApprovalAddress(
  url: URL,
  { clean = (text) => text, limit = REST_LIMIT }: Showing = {},
): string {
  const { protocol, host, pathname, search, hash, username, password } = url
  if (!host) return shorten(clean(url.href), limit)
  const rest = shorten(clean(`${pathname}${search}${hash}`), limit)
  const note = username || password ? ' (with a user name or a password before its host)' : ''
  return `${protocol}//${shownHost(host, clean)}${rest}${note}`
}

/** Never scrubs the host's last two labels, even if the page declares them a secret: they name its owner. */
function shownHost(host: string, clean: (text: string) => string): string {
  const end = host.slice(host.lastIndexOf('.', host.lastIndexOf('.') - 1) + 1)
  const shown = `${clean(host.slice(0, -end.length))}${end}`
  return shown.length > HOST_LIMIT ? `…${shown.slice(-HOST_LIMIT)}` : shown
}

/** Other fields of the form that an approved action sends: filled ones that may be read, and hidden ones. */
interface FormFields {
  /** The first of them, for the approval: `"To": "Ada", "Amount": "10"`. */
  readonly text: string
  /** Digest of all fields in full: values may be long, and the journal only needs to tell whether they changed. */
  readonly digest: string
}

const SHOWN = 6
const BESIDE_NAME_LIMIT = 30
const BESIDE_VALUE_LIMIT = 40
const WITHOUT_VALUE = /^(button|submit|reset|image)$/
/** Names of hidden fields that scripts renew by themselves. */
const RENEWED: RegExp = /csrf|xsrf|token|nonce|captcha|verification/i

interface Beside {
  readonly options: PageOptions
  /** Removes secrets. */
  readonly clean: (text: string) => string
  /** The field that the call itself fills. */
  readonly typed: Element | null
}

/** Returns null if nothing else is sent. */
function fieldsBeside(
  element: Element,
  how: Activation,
  { options, clean, typed }: Beside,
): FormFields | null {
  const form = formSubmittedBy(element, how)
  if (!form) return null
  const filled = elementsOf(form).flatMap((field) => {
    const value = field === typed || !mayShow(field, options) ? '' : valueOf(field)
    if (!value) return []
    const name = getAccessibleName(field, getShownRole(field) || 'textbox', options).text
    return [{ field, name, value, sent: sentWithField(field) }]
  })
  const hidden = hiddenIn(form, options)
  if (filled.length + hidden.length === 0) return null
  const short = (whole: string, limit: number): string =>
    quote(shorten(clean(whole), limit).replace(/"/g, "'"))
  const shown = filled
    .filter(({ field }) => field !== element)
    .map(
      ({ name, value }) =>
        `${name && `${short(name, BESIDE_NAME_LIMIT)}: `}${short(value, BESIDE_VALUE_LIMIT)}`,
    )
  const more = shown.length > SHOWN ? `, and ${shown.length - SHOWN} more` : ''
  return {
    text: shown.slice(0, SHOWN).join(', ') + more,
    digest: textDigest(
      JSON.stringify([filled.map(({ name, value, sent }) => [name, value, sent]), hidden]),
    ),
  }
}

/** Digest of everything that a form sends. Fields that a call fills in are included by name only. */
export function digestBeside(
  form: HTMLFormElement,
  filled: readonly Element[],
  options: PageOptions,
): string {
  const sent = elementsOf(form).flatMap((field) => {
    if (!mayShow(field, options)) return []
    if (!filled.includes(field)) return [[...sentWithField(field), valueOf(field)]]
    return [isTag(field, 'select') ? [] : sentWithField(field)]
  })
  return textDigest(JSON.stringify([sent, hiddenIn(form, options)]))
}

function mayShow(field: Element, options: PageOptions): boolean {
  if (isTag(field, 'input') && (WITHOUT_VALUE.test(field.type) || isHidden(field))) return false
  if (/^(button|fieldset|object|output)$/.test(native.localName(field))) return false
  return isReadable(field, options) && !isMasked(field, options)
}

function valueOf(field: Element): string {
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
function hiddenIn(form: HTMLFormElement, options: PageOptions): readonly (readonly string[])[] {
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
 * left, like `in 30 s`, `30 s left`. A bare `2 h` or `5m` is none: it may be the duration or amount that somebody pays
 * for.
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
/** Clocks are updated and read a little early or late. Seconds. */
const TOLERANCE = 3
/** Clocks kept in a journaled digest. Further clocks, as in a calendar, are compared like other words. */
const MAX_CLOCKS = 20

/**
 * Whether two names differ only in clocks that ran on, forwards or backwards, for the elapsed time. All other digits
 * are compared: a changed price or duration makes another name.
 */
export function isSameName(before: string, now: string, elapsedMs: number): boolean {
  if (before === now) return true
  const [first, second] = [[...before.matchAll(CLOCK())], [...now.matchAll(CLOCK())]]
  if (first.length === 0 || withoutClocks(before) !== withoutClocks(now)) return false
  return first.every((match, index) => {
    const other = second[index]
    return other !== undefined && isSameClock(match, other, elapsedMs / 1000)
  })
}

/** Digest of a text that is too long to keep. `isSameName` compares digests as it would compare the texts. */
export function nameDigest(text: string): string {
  const clocks: string[] = []
  const rest = text.replace(CLOCK(), (clock) => {
    if (clocks.length >= MAX_CLOCKS) return clock
    clocks.push(clock)
    return '\0'
  })
  return [textDigest(rest), ...clocks].join(' / ')
}

function withoutClocks(text: string): string {
  return text.replace(CLOCK(), '\0')
}

function isSameClock(before: RegExpExecArray, now: RegExpExecArray, elapsed: number): boolean {
  if (before[0] === now[0]) return true
  return readings(before).some(({ at, unit }, index) => {
    const then = readings(now)[index]
    return then?.unit === unit && Math.abs(Math.abs(then.at - at) - elapsed) <= unit + TOLERANCE
  })
}

/**
 * Readings of a clock in seconds. `12:30` has two: minutes and seconds, or hours and minutes. `unit`: seconds per step
 * of its last digit.
 */
function readings([, high, middle, low, ...counted]: RegExpExecArray): readonly {
  readonly at: number
  readonly unit: number
}[] {
  const [count, sign] = counted.filter((part) => part !== undefined)
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
  /** The row, item, dialog or region around the control: ` (in row "Ada")`. Empty: none. */
  readonly place: string
  /** Set if the place must stay the same: `item`, whose elements are reused for other items, or a named `part`. */
  readonly placedIn?: 'item' | 'part'
  /** State of a switch, checkbox or toggle button before the action. */
  readonly now?: 'on' | 'off' | 'mixed'
}

/** A control with its full texts. `called` shortens them, as the approval shows them. */
interface FullyCalled {
  readonly called: ControlDescription
  /** For digests, without secrets: the full name and place, and the values that the control sends. */
  readonly whole: readonly string[]
  readonly sends: readonly string[]
}

const NAME_LIMIT = 100

function describeControl(element: Element, live: LivePage): FullyCalled {
  const { options } = live
  const clean = scrubber(live)
  const role = getShownRole(element)
  const isPage = isTag(element, 'body') || isTag(element, 'html')
  const text = isMasked(element, options) ? '' : readableText(element, options)
  const ownName = getAccessibleName(element, role || 'button', options).text
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

function toggleState(element: Element): ControlDescription['now'] | null {
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
function formatControl({ role, name, place, now }: ControlDescription): string {
  return `${name ? `${role} ${quoted(name)}` : role}${place}${now ? `, now ${now}` : ''}`
}

export function quoted(text: string): string {
  return quote(text.replace(/"/g, "'"))
}

/**
 * Whether both describe the same control. Clocks in names may have moved by the elapsed time. `isUntouched`: no action
 * of the call has begun, so the control's on/off state and the named part of the page around it must be the same too.
 */
function isSameControl(
  asked: ControlDescription,
  now: ControlDescription,
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

/** An element as an approval shows it. All texts come from the page: untrusted content. */
export interface ApprovalTarget extends ControlDescription {
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
  doing: ElementAction,
): ApprovalTarget {
  const { options } = live
  const clean = scrubber(live)
  // Read the name first: it may mark the value as secret.
  const own = describeControl(element, live)
  const value = valueText(standaloneNode(element, options), options)
  const does = commitOf(element, doing, options)
  const activation = activationOf(doing.action)
  const used = usedBy(element, doing)
  const behind = controlsBehind(used, doing.action).filter((one) => one !== element)
  const controls = behind.map((one) => describeControl(one, live))
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
      leadsTo: formatApprovalAddress(leadsTo, { clean }),
      address: textDigest(clean(leadsTo.href)),
    }),
    ...(does && { does }),
    ...(controls.length > 0 && { activates: controls.map(({ called }) => called) }),
    whole: nameDigest(JSON.stringify([own, ...controls].map(({ whole }) => whole))),
    sends: textDigest(JSON.stringify([own, ...controls].map(({ sends }) => sends))),
    ref: ensureRef(element),
  }
}

/** Digest of the whole address that the element leads to. Null: it leads nowhere. */
export function addressDigest(
  element: Element,
  doing: ElementAction,
  live: LivePage,
): string | null {
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
export function isSameApprovalTarget(
  asked: ApprovalTarget & ElementAction,
  now: ApprovalTarget,
  { elapsedMs, isUntouched = true }: Sameness,
): boolean {
  const how = { elapsedMs, isUntouched }
  // A list that was open when approval was requested may be closed now: its options are unknown then.
  const isClosedList = asked.action === 'select' && now.does === undefined
  const [before, after] = [asked.activates ?? [], now.activates ?? []]
  return (
    isSameControl(asked, now, how) &&
    before.length === after.length &&
    before.every((one, index) => isSameControl(one, after[index] ?? now, how)) &&
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
  asked: ApprovalTarget,
  now: ApprovalTarget,
  { elapsedMs }: Pick<Sameness, 'elapsedMs'>,
): boolean {
  return (
    asked.fields?.digest === now.fields?.digest &&
    isSameName(asked.dialog ?? '', now.dialog ?? '', elapsedMs)
  )
}

/** Digest of the text of the dialog around the element, such as for whom, or how much. */
function dialogDigest(element: Element, options: PageOptions): string | null {
  const dialog = closest(element, DIALOGS)
  if (!dialog) return null
  return nameDigest(cleanText(readableText(dialog, options, Infinity)))
}

/** Line for an approval or an error: `button "Delete" (in row "Ada"), leads to https://…, deletes ("delete")`. */
export function formatApprovalTarget(subject: ApprovalTarget): string {
  const { value, fields, leadsTo, does, activates = [], place } = subject
  const holds = value ? `, which holds ${quoted(value)}` : ''
  // A place that both share is mentioned once.
  const behind = activates.map((one) =>
    formatControl(one.place === place ? { ...one, place: '' } : one),
  )
  const presses = behind.length > 0 ? `, which activates ${behind.join(' and ')}` : ''
  const leads = leadsTo ? `, leads to ${escapeMarks(leadsTo)}` : ''
  const along = fields?.text ? `, with ${fields.text}` : ''
  return `${formatControl(subject)}${holds}${presses}${along}${leads}${does ? `, ${does}` : ''}`
}
