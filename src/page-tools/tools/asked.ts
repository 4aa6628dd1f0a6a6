import type { DescribeContext, ToolContext } from '../../client/tool.ts'
import { randomId } from '../../lib/random-id.ts'
import { textDigest } from '../../lib/text-digest.ts'
import type { CallAbout } from '../../protocol/run.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { shorten } from '../clean-text.ts'
import { contains, focusedElement, isAttached, isElement } from '../dom.ts'
import { controlAround } from '../act/activated.ts'
import { choicesOf, isNamedBy } from '../act/choices.ts'
import { describeElement } from '../act/describe.ts'
import { dropTarget } from '../act/drop-target.ts'
import { takesEnter } from '../act/field-kind.ts'
import { guardActions, requireActivated, takesKeys, type Touch } from '../act/guard-actions.ts'
import type { Point } from '../act/hit-test.ts'
import { marksOf, mustConfirm } from '../act/must-confirm.ts'
import { activationOf, commitOf, type Doing, usedBy } from '../act/commits.ts'
import {
  hasSameAround,
  isSameSubject,
  type Subject,
  subjectLine,
  subjectOf,
} from '../act/subject.ts'
import { resolveTarget, type Target } from '../act/target.ts'
import * as native from '../native.ts'
import { livePage, type LivePage, scrub } from '../outline/live-page.ts'
import { requireAllowed, rootOf } from '../outline/region.ts'
import type { Page, PageAction } from '../options.ts'
import { PageError } from '../page-error.ts'
import { find } from '../read/find.ts'
import { lookUpRef, readRef } from '../refs.ts'

/** An element that a call names, and what it does to it. Without a target: the focused one. */
export interface Use extends Doing {
  readonly target: string | undefined
  /** Of a drop: how far from the target. What lies there is dropped on. */
  readonly by?: Point
  /** Of what is typed: it has line breaks. */
  readonly breaks?: boolean
}

interface AskedUse extends Use, Subject {}

/** What a person was asked about, as it is journaled. */
interface Asked {
  /** Names the page load: its refs are those of no other one. */
  readonly load: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Without secrets, cut short; `addressDigest` is that of all of it without secrets. */
  readonly address: string
  readonly addressDigest: string
  readonly uses: readonly AskedUse[]
}

const LOAD = randomId()

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
    text: asked.map(subjectLine).join('; '),
    data: data as unknown as JsonValue,
    onPage: true,
  }
}

/**
 * The target of each use, and all checks of the call set up; to be called before it acts. `mayCommit`: the call may do
 * unasked what commits the person to something.
 */
export async function bindUses(
  page: Page,
  uses: readonly Use[],
  {
    about,
    signal,
    mayCommit,
  }: Pick<ToolContext, 'about' | 'signal'> & { readonly mayCommit: boolean },
): Promise<(target: string) => Target> {
  const live = livePage(page)
  const asked = readAsked(about)
  const bound = new Map<AskedUse, Element>()
  for (const use of asked?.uses ?? []) bound.set(use, boundElement(asked, use, live))
  const guarded = { asked, bound, live, action: uses[0]?.action ?? 'click', mayCommit }
  const begun = new Set<AskedUse>()
  guardActions(signal, {
    begin(element, touch) {
      const use = askedOf(element, touch, guarded)
      const doing = doingOf(uses[0], touch)
      const does = commitOf(element, doing, live.options)
      // Its name may count the characters that are typed.
      const typesOn = touch === undefined && guarded.action !== 'press' && use && begun.has(use)
      if (asked && use && !typesOn) requireSame(asked, use, { live, isUntouched: begun.size === 0 })
      if (use && does && does !== use.does)
        throw new PageError(
          'stale-ref',
          `What would be used, ${does}, is not what was approved, ${subjectLine(use)}. ${AGAIN}`,
        )
      if (use) return void begun.add(use)
      // A key goes where the focus is: there nobody was asked about.
      if (begun.size === 0 && asked?.uses.some(({ target }) => target === undefined))
        throw new PageError('stale-ref', FOCUS)
      requireNoQuestion(element, { does, touch, doing }, guarded)
    },
    goOn(element, touch) {
      if (askedOf(element, touch, guarded)) return
      const doing = doingOf(uses[0], touch)
      const does = commitOf(element, doing, live.options)
      requireNoQuestion(element, { does, touch, doing }, guarded)
    },
  })
  return (target) => {
    const [, element] = [...bound].find(([use]) => use.target === target && !use.by) ?? []
    return element ?? target
  }
}

interface Guarded {
  readonly asked: Asked | null
  readonly bound: ReadonlyMap<AskedUse, Element>
  readonly live: LivePage
  readonly action: PageAction
  readonly mayCommit: boolean
}

function askedOf(
  element: Element,
  touch: Touch | undefined,
  { bound }: Guarded,
): AskedUse | undefined {
  return [...bound.keys()].find(
    (one) => isPartOf(element, bound.get(one)) && (touch !== 'drop' || one.action === 'drop'),
  )
}

interface Done {
  readonly does: string
  readonly touch: Touch | undefined
  readonly doing: Doing
}

/** Throws when a person would have to be asked about the element, and was not. */
function requireNoQuestion(element: Element, { does, touch, doing }: Done, guarded: Guarded): void {
  const { asked, bound, live, action, mayCommit } = guarded
  const { options } = live
  // Asked about a choice, a person was asked about the option that it names.
  const choice = asked?.uses.find(
    (one) => one.action === 'select' && isNamedBy(element, one.labels ?? [], options),
  )
  // What is typed may go on within the part about which a person was asked.
  const marks = touch === undefined ? [...bound.values()].flatMap(marksOf) : []
  const actions = touch ? [action, doing.action] : [action]
  const isMarked =
    !choice && actions.some((one) => mustConfirm(element, one, { ...options, asked: marks }))
  const isUnasked = does !== '' && !mayCommit && choice?.does !== does
  if (!isMarked && !isUnasked) return
  const what = describeElement(controlAround(element), live)
  throw new PageError('unconfirmed', `${what}${does && `, which ${does}`}. ${UNCONFIRMED}`)
}

const FOCUS =
  'The focus has moved since this was approved. Read the page, and say where to press the key.'
const UNCONFIRMED =
  'A person must be asked about this element first, and was not. It was not there, not marked, or not what the call named. Make the call again, with the ref of this element.'

/** What is done to an element that is about to be used: keys that type and pointers that move activate nothing. */
function doingOf(use: Use | undefined, touch: Touch | undefined): Doing {
  if (touch) return { action: touch === 'activate' ? 'enter' : touch }
  return use?.action === 'press' ? use : { action: 'type' }
}

/** What the use does to its element: a line break that is typed is an Enter, but in fields of several lines. */
function doingIn(element: Element, use: Use): Doing {
  const isEnter = use.breaks && takesEnter(element)
  return isEnter ? { ...use, action: 'enter' } : use
}

function isPartOf(element: Element, bound: Element | undefined): boolean {
  return bound !== undefined && (contains(bound, element) || contains(element, bound))
}

/** The element that was asked about. Throws `stale-ref` when it is not there, or not what it was. */
function boundElement(asked: Asked | null, use: AskedUse, live: LivePage): Element {
  const element = asked?.load === LOAD ? lookUpRef(use.ref)?.element : undefined
  if (!asked || !element || !isAttached(element))
    throw new PageError('stale-ref', `${subjectLine(use)}: it is no longer on the page. ${AGAIN}`)
  requireSame(asked, use, { live, isUntouched: true })
  return element
}

function requireSame(
  asked: Asked,
  use: AskedUse,
  { live, isUntouched }: { readonly live: LivePage; readonly isUntouched: boolean },
): void {
  const element = lookUpRef(use.ref)?.element
  const now = element && isAttached(element) ? subjectOf(element, live, use) : null
  const elapsedMs = Date.now() - asked.at
  const isSame = now && isSameSubject(use, now, { elapsedMs, isUntouched })
  if (isSame && (!isUntouched || hasSameAround(use, now))) return
  const [was, is] = [subjectLine(use), now && subjectLine(now)]
  // What differs may be what no line tells of.
  const other = is === was ? 'is in a form or dialog that holds something else now' : `is ${is} now`
  const became = now ? other : 'is no longer on the page'
  throw new PageError('stale-ref', `What was approved, ${was}, ${became}. ${AGAIN}`)
}

const AGAIN = 'Nothing was done. Read the page again.'

/** Null: what is dropped on isn't known before what is dragged is in view. */
async function elementOf({ target, by }: Use, page: Page): Promise<Element | null> {
  const live = livePage(page)
  if (target !== undefined) {
    const element = await resolveTarget(target, { page, live })
    return by ? dropTarget(element, by, live) : element
  }
  const ownerDocument = native.ownerDocument(rootOf(live.options))
  const focused = focusedElement(ownerDocument) ?? ownerDocument.body
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
  const address = scrub(native.ownerDocument(rootOf(live.options)).URL.replace(/#.*$/s, ''), live)
  return { address: shorten(address, ADDRESS_LIMIT), addressDigest: textDigest(address) }
}

/** Characters of an address that are journaled. */
const ADDRESS_LIMIT = 2000

/** Written by this tool, on this page or an earlier one; null: nobody was asked. */
function readAsked(data: JsonValue | undefined): Asked | null {
  return data ? (data as unknown as Asked) : null
}
