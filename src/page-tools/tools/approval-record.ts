import type { DescribeContext } from '../../client/tools/tool.ts'
import { randomId } from '../../lib/random-id.ts'
import { textDigest } from '../../lib/text-digest.ts'
import type { CallAbout } from '../../protocol/run.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { cleanText, shorten } from '../clean-text.ts'
import { focusedElement, isElement } from '../dom.ts'
import {
  isSameApprovalTarget,
  quoted,
  type ApprovalTarget,
  formatApprovalTarget,
  describeApprovalTarget,
} from '../act/approval-target.ts'
import { choicesOf } from '../act/option-list.ts'
import { dropTarget } from '../act/drag.ts'
import { editableIn, takesEnter } from '../act/field-kind.ts'
import { mustConfirm, requireActivated, canReceiveKeys } from '../act/guard-actions.ts'
import { describePoint, type Point } from '../act/hit-test.ts'
import {
  activationOf,
  commitOf,
  type ElementAction,
  pageOf,
  getUsedElement,
} from '../act/commits.ts'
import { requireSite } from '../act/sites.ts'
import { resolveTarget } from '../act/target.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { livePage, type LivePage, scrub } from '../outline/live-page.ts'
import { requireAllowed, rootOf } from '../outline/region.ts'
import { type Page, type PageOptions, PageError } from '../page.ts'
import { find } from '../read/find.ts'
import { parseRef } from '../refs.ts'
import { readKey } from '../act/text/key.ts'
import { activationBy } from '../act/text/keyboard.ts'
import { partsOf } from '../act/text/type-characters.ts'
import { getAccessibleName } from '../outline/name.ts'
import { getShownRole } from '../outline/role.ts'
import { isCardNumber } from '../secrets/field-words.ts'
import { isMasked } from '../secrets/secret-fields.ts'

/** A text that a call writes into an element. */
export interface Written {
  /** JSON pointer of the text in the input. */
  readonly pointer: string
  /** Undefined: the focused element. */
  readonly target: string | undefined
  readonly text?: string
}

/**
 * JSON pointers of the values that go into masked fields. A field that isn't found counts as masked, since it may be
 * masked once it appears.
 */
export async function maskedInputs(
  page: Page,
  texts: readonly Written[],
): Promise<readonly string[]> {
  const live = livePage(page)
  const masked: string[] = []
  for (const { pointer, target, text } of texts) {
    const ownerDocument = native.ownerDocument(rootOf(live.options))
    const element =
      target === undefined
        ? (focusedElement(ownerDocument) ?? nativeDocument.body(ownerDocument))
        : await resolveTarget(target, { page }).catch(() => null)
    if (!element || isCardNumber(text ?? '') || canTakeSecrets(element, live.options))
      masked.push(pointer)
  }
  return masked
}

function canTakeSecrets(element: Element, options: PageOptions): boolean {
  const field = isElement(element) ? editableIn(element) : null
  return [element, ...(field ? [field] : []), ...partsOf(element)].some((candidate) => {
    getAccessibleName(candidate, getShownRole(candidate) || 'textbox', options)
    return isMasked(candidate, options)
  })
}

/** An element that a call names, and the action on it. */
export interface ElementUse extends ElementAction {
  /** Undefined for the focused element. */
  readonly target: string | undefined
  /** Drops only: the distance from the target. Whatever is at that point receives the drop. */
  readonly by?: Point
  /** Clicks only: the point on the element. */
  readonly at?: Point
  /** Typing only: the text has line breaks. */
  readonly breaks?: boolean
}

export interface RecordedUse extends ElementUse, ApprovalTarget {}

/** The approved elements of a call, as journaled. */
export interface ApprovalRecord {
  /** Id of the page load. Refs are valid only in it. */
  readonly load: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Digest of the address without its hash and secrets. */
  readonly addressDigest: string
  readonly uses: readonly RecordedUse[]
}

export const PAGE_LOAD_ID: string = randomId()

/** True if a use of an element always needs approval, or `'default'` if the agent's policy decides. */
export async function needsApproval(
  page: Page,
  uses: readonly ElementUse[],
): Promise<true | 'default'> {
  const live = livePage(page)
  for (const use of uses) {
    const element = await findElement(use, page).catch(() => null)
    if (!element) continue
    const chosenOptions = choicesOf(element, use.labels ?? [], live.options)
    for (const item of [element, ...chosenOptions])
      if (mustConfirm(item, use.action, live.options)) return true
    const elementAction = getElementAction(element, use)
    if (mustConfirm(getUsedElement(element, elementAction), elementAction.action, live.options))
      return true
  }
  return 'default'
}

/** Whether the call commits the person to something. */
export async function commits(page: Page, uses: readonly ElementUse[]): Promise<boolean> {
  const { options } = livePage(page)
  for (const use of uses) {
    // A missing element fails the call, so there is nothing to approve.
    const element = await findElement(use, page).catch(() => null)
    if (element && commitOf(element, getElementAction(element, use), options)) return true
  }
  return false
}

/** Throws if the action would be refused even with approval, so that nobody is asked in vain. */
function requirePossible(element: Element, elementAction: ElementAction, live: LivePage): void {
  const usedElement = getUsedElement(element, elementAction)
  const activation = activationOf(elementAction.action)
  requireActivated(usedElement, activation, live.options)
  if (activation) requireSite(usedElement, activation, live)
}

/** Describes the elements that the call is about to act on. Rejects with a `PageError` if an element is missing. */
export async function describeUses(
  page: Page,
  uses: readonly ElementUse[],
  { previous }: DescribeContext,
): Promise<CallAbout | null> {
  const live = livePage(page)
  const previousRecord = readApprovalRecord(previous)
  const recordedUses: RecordedUse[] = []
  let last: Element | null = null
  for (const [index, use] of uses.entries()) {
    const previousUse = previousRecord?.uses[index]
    const element: Element | null =
      last && use.by
        ? dropTarget(last, use.by, live)
        : previousRecord && previousUse && previousRecord.load !== PAGE_LOAD_ID
          ? await findAgain(previousRecord, previousUse, page)
          : await findElement(use, page)
    if (!element) continue
    last = element
    const elementAction = getElementAction(element, use)
    if (use.by) requireAllowed(element, live.options)
    requirePossible(element, elementAction, live)
    recordedUses.push({
      ...use,
      ...elementAction,
      ...describeApprovalTarget(element, live, elementAction),
    })
  }
  if (recordedUses.length === 0) return null
  const data: ApprovalRecord = {
    load: PAGE_LOAD_ID,
    at: Date.now(),
    addressDigest: digestPageAddress(live),
    uses: recordedUses,
  }
  return {
    text: recordedUses.map(formatUse).join('; '),
    data: data as unknown as JsonValue,
    onPage: true,
  }
}

function formatUse(use: RecordedUse): string {
  const line = formatApprovalTarget(use)
  if (use.at) return `${line}, ${describePoint(use.at)}`
  const chosenOptions =
    use.labels?.map((label) => quoted(shorten(cleanText(label), LABEL_LIMIT))) ?? []
  return chosenOptions.length > 0 ? `${line}, to choose ${chosenOptions.join(', ')}` : line
}

/**
 * The action of the use on its element. A key that activates the element counts as `enter`. So does a typed line break,
 * except in multi-line fields.
 */
function getElementAction(element: Element, use: ElementUse): ElementAction {
  const isEnter = use.key
    ? activationBy(readKey(use.key), element)
    : use.breaks && takesEnter(element)
  return isEnter ? { ...use, action: 'enter' } : use
}

/** Returns null for a drop by distance while the dragged element isn't in view. */
async function findElement({ target, by }: ElementUse, page: Page): Promise<Element | null> {
  const live = livePage(page)
  if (target !== undefined) {
    const element = await resolveTarget(target, { page })
    return by ? dropTarget(element, by, live) : element
  }
  const ownerDocument = native.ownerDocument(rootOf(live.options))
  const focused = focusedElement(ownerDocument) ?? nativeDocument.body(ownerDocument)
  if (!canReceiveKeys(focused, live)) requireAllowed(focused, live.options)
  return focused
}

/**
 * The only element of this page that matches the element approved on the last page. Throws `stale-ref` if there is
 * none, or several.
 */
async function findAgain(
  record: ApprovalRecord,
  approvedUse: RecordedUse,
  page: Page,
): Promise<Element | null> {
  const live = livePage(page)
  if (approvedUse.target !== undefined && !parseRef(approvedUse.target))
    return findElement(approvedUse, page)
  const isSameAddress = record.addressDigest === digestPageAddress(live)
  const query = {
    ...(approvedUse.role !== 'generic' && { role: approvedUse.role }),
    ...(approvedUse.name && { name: approvedUse.name }),
  }
  const found =
    isSameAddress && (query.role ?? query.name) ? await find(query, { page, limit: 30 }) : []
  const matches = found.filter(({ element }) =>
    isSameApprovalTarget(approvedUse, describeApprovalTarget(element, live, approvedUse), {
      elapsedMs: Date.now() - record.at,
    }),
  )
  const [match, ...others] = matches
  if (match && others.length === 0 && isElement(match.element)) return match.element
  const reason = !isSameAddress
    ? 'the address is another one'
    : match
      ? 'several are like it'
      : 'it is not there'
  throw new PageError(
    'stale-ref',
    `The page reloaded since approval of ${formatApprovalTarget(approvedUse)} was requested, and ${reason} now. Read the page again.`,
  )
}

/** Leaves out the hash, which may change while a person reads the page. */
function digestPageAddress(live: LivePage): string {
  return textDigest(scrub(pageOf(rootOf(live.options)), live))
}

/** Maximum characters of a label in an approval. */
const LABEL_LIMIT = 100

/** Approval data written by this tool, on this page or an earlier one. Null if there was no approval. */
export function readApprovalRecord(data: JsonValue | undefined): ApprovalRecord | null {
  return data ? (data as unknown as ApprovalRecord) : null
}
