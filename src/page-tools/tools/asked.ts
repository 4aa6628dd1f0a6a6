import type { DescribeContext } from '../../client/tool.ts'
import { randomId } from '../../lib/random-id.ts'
import { textDigest } from '../../lib/text-digest.ts'
import type { CallAbout } from '../../protocol/run.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { cleanText, shorten } from '../clean-text.ts'
import { focusedElement, isElement } from '../dom.ts'
import { quoted } from '../act/called.ts'
import { choicesOf } from '../act/choices.ts'
import { dropTarget } from '../act/drop-target.ts'
import { takesEnter } from '../act/field-kind.ts'
import { requireActivated, takesKeys } from '../act/guard-actions.ts'
import type { Point } from '../act/hit-test.ts'
import { mustConfirm } from '../act/must-confirm.ts'
import { placeInWords } from '../act/place-on-element.ts'
import { activationOf, commitOf, type Doing, usedBy } from '../act/commits.ts'
import { isSameSubject, type Subject, subjectLine, subjectOf } from '../act/subject.ts'
import { resolveTarget } from '../act/target.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { livePage, type LivePage, scrub } from '../outline/live-page.ts'
import { requireAllowed, rootOf } from '../outline/region.ts'
import type { Page } from '../options.ts'
import { PageError } from '../page-error.ts'
import { find } from '../read/find.ts'
import { readRef } from '../refs.ts'

/** An element that a call names, and what it does to it. Without a target: the focused one. */
export interface Use extends Doing {
  readonly target: string | undefined
  /** Of a drop: how far from the target. What lies there is dropped on. */
  readonly by?: Point
  /** Of a click: where on it. */
  readonly at?: Point
  /** Of what is typed: it has line breaks. */
  readonly breaks?: boolean
}

export interface AskedUse extends Use, Subject {}

/** What a person was asked about, as it is journaled. */
export interface Asked {
  /** Names the page load: its refs are those of no other one. */
  readonly load: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Without secrets, cut short; `addressDigest` is that of all of it without secrets. */
  readonly address: string
  readonly addressDigest: string
  readonly uses: readonly AskedUse[]
}

/** This page load's. */
export const LOAD: string = randomId()

/** Whether a person is always to be asked about one of these; `'default'`: the agent's policy decides. */
export async function mustAsk(page: Page, uses: readonly Use[]): Promise<true | 'default'> {
  const live = livePage(page)
  for (const use of uses) {
    const element = await elementOf(use, page).catch(() => null)
    if (!element) continue
    const chosen = choicesOf(element, use.labels ?? [], live.options)
    for (const one of [element, ...chosen])
      if (mustConfirm(one, use.action, live.options)) return true
    const doing = doingIn(element, use)
    if (mustConfirm(usedBy(element, doing), doing.action, live.options)) return true
  }
  return 'default'
}

/** Whether the call commits the person to something. */
export async function commits(page: Page, uses: readonly Use[]): Promise<boolean> {
  const { options } = livePage(page)
  for (const use of uses) {
    // What isn't there fails the call: there is nothing to ask about.
    const element = await elementOf(use, page).catch(() => null)
    if (element && commitOf(element, doingIn(element, use), options)) return true
  }
  return false
}

/** What the call is about to act on. Rejects with a `PageError` when that isn't there. */
export async function describeUses(
  page: Page,
  uses: readonly Use[],
  { previous }: DescribeContext,
): Promise<CallAbout | null> {
  const live = livePage(page)
  const before = readAsked(previous)
  const asked: AskedUse[] = []
  let last: Element | null = null
  for (const [index, use] of uses.entries()) {
    const was = before?.uses[index]
    const element: Element | null =
      last && use.by
        ? dropTarget(last, use.by, live)
        : before && was && before.load !== LOAD
          ? await foundAgain(before, was, page)
          : await elementOf(use, page)
    if (!element) continue
    last = element
    const doing = doingIn(element, use)
    if (use.by) requireAllowed(element, live.options)
    requireActivated(usedBy(element, doing), activationOf(doing.action), live.options)
    asked.push({ ...use, ...doing, ...subjectOf(element, live, doing) })
  }
  if (asked.length === 0) return null
  const data: Asked = { load: LOAD, at: Date.now(), ...addressOf(live), uses: asked }
  return {
    text: asked.map(useLine).join('; '),
    data: data as unknown as JsonValue,
    onPage: true,
  }
}

function useLine(use: AskedUse): string {
  const line = subjectLine(use)
  if (use.at) return `${line}, ${placeInWords(use.at)}`
  const chosen = use.labels?.map((label) => quoted(shorten(cleanText(label), LABEL_LIMIT))) ?? []
  return chosen.length > 0 ? `${line}, to choose ${chosen.join(', ')}` : line
}

/** What the use does to its element: a line break that is typed is an Enter, but in fields of several lines. */
function doingIn(element: Element, use: Use): Doing {
  const isEnter = use.breaks && takesEnter(element)
  return isEnter ? { ...use, action: 'enter' } : use
}

/** Null: what is dropped on isn't known before what is dragged is in view. */
async function elementOf({ target, by }: Use, page: Page): Promise<Element | null> {
  const live = livePage(page)
  if (target !== undefined) {
    const element = await resolveTarget(target, { page, live })
    return by ? dropTarget(element, by, live) : element
  }
  const ownerDocument = native.ownerDocument(rootOf(live.options))
  const focused = focusedElement(ownerDocument) ?? nativeDocument.body(ownerDocument)
  if (!takesKeys(focused, live)) requireAllowed(focused, live.options)
  return focused
}

/** The one element of this page that is what was asked about on the last one. */
async function foundAgain(before: Asked, was: AskedUse, page: Page): Promise<Element | null> {
  const live = livePage(page)
  if (was.target !== undefined && !readRef(was.target)) return elementOf(was, page)
  const isHere = before.addressDigest === addressOf(live).addressDigest
  const query = {
    ...(was.role !== 'generic' && { role: was.role }),
    ...(was.name && { name: was.name }),
  }
  const found = isHere && (query.role ?? query.name) ? await find(query, { page, limit: 30 }) : []
  const same = found.filter(({ element }) =>
    isSameSubject(was, subjectOf(element, live, was), { elapsedMs: Date.now() - before.at }),
  )
  const [only, ...others] = same
  if (only && others.length === 0 && isElement(only.element)) return only.element
  const why = !isHere
    ? 'the address is another one'
    : only
      ? 'several are like it'
      : 'it is not there'
  throw new PageError(
    'stale-ref',
    `The page was loaded anew since ${subjectLine(was)} was asked about, and ${why} now. Read the page again.`,
  )
}

/** Without its hash, which changes as a page is read. */
function addressOf(live: LivePage): Pick<Asked, 'address' | 'addressDigest'> {
  const address = scrub(urlOf(live).replace(/#.*$/s, ''), live)
  return { address: shorten(address, ADDRESS_LIMIT), addressDigest: textDigest(address) }
}

function urlOf({ options }: LivePage): string {
  return nativeDocument.URL(native.ownerDocument(rootOf(options)))
}

/** Characters of a label that is shown. */
const LABEL_LIMIT = 100
/** Characters of an address that are journaled. */
const ADDRESS_LIMIT = 2000

/** Written by this tool, on this page or an earlier one; null: nobody was asked. */
export function readAsked(data: JsonValue | undefined): Asked | null {
  return data ? (data as unknown as Asked) : null
}
