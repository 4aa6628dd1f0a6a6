import { quote, quoteSent, rememberScrubbed, shorten, cleanText } from '../clean-text.ts'
import { contains, isAttached, isDisplayed, isElement, referenced } from '../dom.ts'
import { livePage, type LivePage, scrub, scrubber } from '../outline/live-page.ts'
import { type ActOptions, PageError, type PageErrorCode, type PageOptions } from '../page.ts'
import {
  ALIAS_SCORE,
  find,
  type FindOptions,
  type Found,
  distinguishElements,
} from '../read/find.ts'
import {
  isClickable,
  isContainer,
  canHaveRef,
  headWithRef,
  formatFieldValue,
  standaloneNode,
} from '../read/line.ts'
import { getAccessibleName } from '../outline/name.ts'
import { isActionable } from '../outline/role.ts'
import { requireAllowed, requireReadable, isReadable } from '../outline/region.ts'
import { lookUpRef, parseRef } from '../refs.ts'
import * as native from '../native.ts'
import { ariaModal, isUnreachable } from '../outline/visibility.ts'
import { isMasked } from '../secrets/secret-fields.ts'
import { readableText } from '../read/readable-text.ts'

const NAME_LIMIT = 100
/** Maximum elements that an error lists for a name. */
const MOST_FOUND = 5

/** An element, its ref, or the exact name by which a snapshot shows it. */
export type Target = string | Element

interface TargetOptions extends ActOptions {
  /** True: the element is only read, not acted on. Default false. */
  readonly readOnly?: boolean
}

interface Search extends ActOptions {
  readonly live: LivePage
}

/** Resolves to the target's element. Rejects with a `PageError` that says what to do if no element matches. */
export async function resolveTarget(target: Target, options: TargetOptions): Promise<HTMLElement> {
  const live = livePage(options.page)
  const element =
    typeof target === 'string' ? await resolveText(target, { ...options, live }) : target
  if (!isElement(element)) throw new PageError('invalid-input', 'The target is not an element.')
  if (!isAttached(element))
    throw new PageError('stale-ref', 'This element is no longer on the page. Read the page again.')
  if (options.readOnly) requireReadable(element, live.options)
  else requireAllowed(element, live.options)
  return element
}

async function resolveText(target: string, options: Search): Promise<Element> {
  const ref = parseRef(target)
  if (!ref) return resolveName(target, options)
  const entry = lookUpRef(ref)
  if (!entry)
    throw new PageError(
      'unknown-ref',
      `No element has the ref ${ref}. Use read_page or find to get refs.`,
    )
  const { element, memory } = entry
  if (element && isAttached(element)) return element
  const description = [memory.role, memory.name && quote(shorten(memory.name, NAME_LIMIT))]
    .filter(Boolean)
    .join(' ')
  const matches = description ? await findSimilar(memory, options) : []
  const advice = matches[0]
    ? `Closest on the page now: ${matches[0].line}. Use its ref if that is what you mean.`
    : 'Read the page again.'
  const message = `${ref}${description ? ` (${description})` : ''} is no longer on the page. ${advice}`
  throw createError('stale-ref', message, options)
}

function findSimilar(
  { role, name }: { readonly role: string; readonly name: string },
  options: Search,
): Promise<Found[]> {
  return find(
    { ...(role !== 'generic' && { role }), ...(name && { name }) },
    { ...options, limit: 1 },
  ).catch(() => [])
}

async function resolveName(name: string, options: Search): Promise<Element> {
  if (!name.trim()) throw new PageError('invalid-input', 'Say which element: give its ref.')
  const settings = { ...options, limit: MOST_FOUND }
  const results = await find({ name }, settings)
  const bareName = stripLabelMarks(name)
  const hasNameMatch = results.some(({ score }) => score >= ALIAS_SCORE)
  const matches =
    hasNameMatch || !bareName || bareName === name
      ? results
      : await find({ name: bareName }, settings)
  const bestMatch = matches.filter(({ score }) => score >= 1)
  const aliasMatches = matches.filter(({ score }) => score >= ALIAS_SCORE)
  const unmarkedMatches = bareName
    ? matches.filter((candidate) => stripLabelMarks(candidate.name) === bareName)
    : []
  const same = [bestMatch, aliasMatches, unmarkedMatches].find((list) => list.length > 0) ?? []
  const preferredMatches = preferControls(dropControlledLists(same))
  // A container matches by its text only if no element in it does.
  const inner = preferredMatches.every((candidate) => isNamedByTextOnly(candidate, options))
    ? await findByText(name, settings)
    : []
  const exact = inner.length > 0 ? inner : preferredMatches
  if (exact.length === 1 && exact[0]) return exact[0].element
  if (exact.length > 1) {
    const { live } = options
    const distinguished = distinguishElements(exact, {
      options: live.options,
      clean: scrubber(live),
      mayBeMore: (inner.length > 0 ? inner : same).length === MOST_FOUND,
    })
    throw createError(
      'ambiguous',
      `Several elements are named ${quoteSent(name)}. Use a ref:${formatList(distinguished)}`,
      options,
    )
  }
  const lines = matches.slice(0, 3).map(({ line }) => line)
  const dialogName = lines.length > 0 ? '' : await findBlockingDialog(name, options.live, settings)
  if (dialogName)
    throw createError(
      'not-found',
      `${quoteSent(name)} is behind ${dialogName}. Close that first: press Escape, for one.`,
      options,
    )
  const hint =
    lines.length > 0 ? ` Similar:${formatList(lines)}` : ' Use read_page or find to get refs.'
  throw createError('not-found', `No element is named ${quoteSent(name)}.${hint}`, options)
}

function formatList(lines: readonly string[]): string {
  return lines.map((line) => `\n- ${line}`).join('')
}

/** Strips the end of a label: a colon, or an asterisk for a required field, as in `Email *:`. */
function stripLabelMarks(name: string): string {
  return name.replace(/[\s:：*]+$/u, '').trim()
}

/** Whether the match is a container whose only name is the text in it. */
function isNamedByTextOnly({ element, role }: Found, { live }: Search): boolean {
  return isContainer(role) && getAccessibleName(element, role, live.options).text === ''
}

/** The innermost elements with exactly this text, for elements without a name of their own. */
async function findByText(text: string, settings: FindOptions): Promise<readonly Found[]> {
  const found = await find({ text }, settings)
  return innermost(found.filter(({ score }) => score >= 1))
}

/** Prefers controls, then elements that can be clicked or focused, then all others; of each kind, the innermost. */
function preferControls(found: readonly Found[]): readonly Found[] {
  const controls = found.filter(({ role }) => isActionable(role))
  if (controls.length > 0) return innermost(controls)
  const focusable = found.filter(
    ({ role, element }) => isClickable(element) || canHaveRef(element, role),
  )
  return innermost(focusable.length > 0 ? focusable : found)
}

/** Drops elements that contain another match: a list with one item has that item's text, too. */
function innermost(found: readonly Found[]): readonly Found[] {
  return found.filter(
    ({ element }) =>
      !found.some((other) => other.element !== element && contains(element, other.element)),
  )
}

/** Drops the open lists of comboboxes, which have the combobox's name. */
function dropControlledLists(found: readonly Found[]): readonly Found[] {
  const controlled = new Set(found.flatMap(({ element }) => referenced(element, 'aria-controls')))
  return found.filter(({ element }) => !controlled.has(element))
}

function createError(code: PageErrorCode, message: string, { live }: Search): PageError {
  return rememberScrubbed(new PageError(code, scrub(message, live)))
}

/** The open dialog or list that makes an element of this name unreachable. Empty if there is none. */
async function findBlockingDialog(
  name: string,
  live: LivePage,
  settings: FindOptions,
): Promise<string> {
  const [found] = await find({ name }, { ...settings, limit: 1, hidden: true })
  if (!found || found.score < ALIAS_SCORE || !isDisplayed(found.element)) return ''
  const { modal } = live.outline
  const isOutside = modal ? !contains(modal, found.element) : isUnreachable(found.element)
  const top = isOutside ? (modal ?? ariaModal(native.ownerDocument(found.element))) : null
  return top ? describeElement(top, live) : ''
}

const LIMIT = 200

/**
 * The browser's validation message for the field's value, in quotes; null when the value is valid. A masked field's own
 * message is left out: it may say what the field holds.
 */
export function validationMessageOf(element: Element, options: PageOptions): string | null {
  const { validity, validationMessage = '', title } = element as Partial<HTMLInputElement>
  if (validity?.valid !== false) return null
  if (isMasked(element, options)) return 'what it holds is not accepted'
  // Browsers show the title with their message about a pattern.
  const hint = validity.patternMismatch && title ? ` (${cleanText(title)})` : ''
  return quote(shorten(cleanText(validationMessage) + hint, LIMIT))
}

const TEXT_LIMIT = 60

/** An element in a sentence: `button "Save" [ref=e12]`. */
export function describeElement(element: Element, { options }: LivePage): string {
  if (native.isConnected(element) && !isReadable(element, options))
    return 'something outside the part of the page that you may use'
  const node = standaloneNode(element, options)
  const head = headWithRef(node, options)
  if (node.name?.text || formatFieldValue(node, options) !== null || head.includes(' [hint='))
    return head
  const text = isMasked(element, options) ? '' : cleanText(readableText(element, options))
  if (node.role && (!text || text.length > TEXT_LIMIT)) return head
  const label =
    text || native.id(element) || native.getAttribute(element, 'class') || native.localName(element)
  return `${head} ${quote(shorten(cleanText(label), TEXT_LIMIT).replace(/"/g, "'"))}`
}
