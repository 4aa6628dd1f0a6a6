import type { ToolDefinitionOptions } from '../../client/tools/define-tool.ts'
import { takeUnloadNote, withUnloadNote } from '../../lib/unload-note.ts'
import type {
  CommitsContext,
  DescribeContext,
  Reconciled,
  Tool,
  ToolContext,
  UndoContext,
} from '../../client/tools/tool.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import { type ActionReport, perform } from '../act/perform.ts'
import { type Target, describeElement } from '../act/target.ts'
import { type Page, type PageAction, PageError, type ActOptions } from '../page.ts'
import {
  type ApprovalRecord,
  type RecordedUse,
  commits,
  describeUses,
  PAGE_LOAD_ID,
  maskedInputs,
  needsApproval,
  readApprovalRecord,
  type ElementUse,
  type Written,
} from './approval-record.ts'
import { contains, isAttached, isElement, isTag } from '../dom.ts'
import {
  activatedElements,
  findControl,
  guardActions,
  marksOf,
  mustConfirm,
  type ActionEffect,
} from '../act/guard-actions.ts'
import {
  contentOf,
  editableIn,
  isEditable,
  isPickerField,
  radiosOf,
  sendChoice,
  takesEnter,
} from '../act/field-kind.ts'
import { matchesLabels } from '../act/option-list.ts'
import { commitOf, type ElementAction, rememberPost } from '../act/commits.ts'
import {
  addressDigest,
  hasSameSurroundings,
  isSameApprovalTarget,
  formatApprovalTarget,
  describeApprovalTarget,
} from '../act/approval-target.ts'
import { livePage, type LivePage, scrub } from '../outline/live-page.ts'
import { getAccessibleName } from '../outline/name.ts'
import { getShownRole } from '../outline/role.ts'
import { lookUpRef } from '../refs.ts'
import { shownAddress } from '../clean-text.ts'
import { typedTool } from './page-tools.ts'
import { requireAllowed } from '../outline/region.ts'
import { isDisabled } from '../outline/state.ts'
import { setChecked } from '../act/fill-form.ts'
import { selectOption } from '../act/select-option.ts'
import { typeText } from '../act/text/type-text.ts'

/** Outcome of an action that was interrupted by a page load. It happened if a note says that it led to this page. */
export function readUnloadNote(idempotencyKey: string): Reconciled {
  const from = takeUnloadNote(idempotencyKey)
  const [entry] = performance.getEntriesByType('navigation')
  // A reload proves nothing: a person may have reloaded the page in the middle of the action.
  const isReload =
    from === location.href && (entry as { type?: unknown } | undefined)?.type === 'reload'
  if (from === undefined || isReload) return undefined
  const result = `Done; it led from ${shownAddress(from)} to ${shownAddress(location.href)}. All refs are new: read the page.`
  return { happened: true, result }
}

type Definition<Schema extends JsonSchema> = Omit<
  ToolDefinitionOptions<string, Schema, string>,
  'execute' | 'reconcile' | 'needsApproval' | 'commits' | 'secretsIn'
> & {
  readonly annotations: { readonly untrustedContent: true; readonly idempotent?: boolean }
  readonly sequential: true
}
type Input<Schema extends JsonSchema> = Parameters<
  ToolDefinitionOptions<string, Schema, string>['execute']
>[0]

interface Action<Schema extends JsonSchema> {
  /** Elements that the call names, with its action on each. */
  uses?(input: Input<Schema>): readonly ElementUse[]
  /** Texts that the call writes into elements. */
  writes?(input: Input<Schema>): readonly Written[]
  /** Whether a person can undo what the call leaves in fields. Default false. */
  readonly fills?: boolean
  /** Whether the call always needs approval. Default: its `uses` decide. */
  needsApproval?(input: Input<Schema>): boolean
  /** Whether the call commits the person to something. Default: its `uses` decide. */
  commits?(input: Input<Schema>): boolean
  /**
   * `getTarget`: returns the approved element of a target, if there was an approval. `mayCommit`: the call may
   * commit the person to something without approval.
   */
  act(
    input: Input<Schema>,
    context: ToolContext & { readonly mayCommit: boolean },
    getTarget: (target: string) => Target,
  ): Promise<ActionReport>
}

/**
 * A tool that changes the page. Runs alone, describes its elements for the approval, and acts only on approved
 * elements. After a reload, finds out whether the tool's own action caused the reload.
 */
export function actingTool<const Schema extends JsonSchema>(
  page: Page,
  definition: Definition<Schema>,
  { uses, writes, act, fills, ...action }: Action<Schema>,
): Tool {
  const getUses = (input: Input<Schema>): readonly ElementUse[] => uses?.(input) ?? []
  /** Fields that the newest calls changed, by the id of the call. */
  const filled = new Map<string, Filled>()
  /** Calls of a tainted conversation that haven't run yet. They need approval to commit the person to something. */
  const taintedCalls = new Set<string>()
  return typedTool<string, Schema, string>({
    ...(action.needsApproval && {
      needsApproval: (input: Input<Schema>) => action.needsApproval?.(input) || 'default',
    }),
    ...(uses && {
      needsApproval: (input: Input<Schema>) => needsApproval(page, uses(input)),
    }),
    describe: (input: Input<Schema>, call: DescribeContext) =>
      describeUses(page, getUses(input), call),
    ...(writes && { secretsIn: (input: Input<Schema>) => maskedInputs(page, writes(input)) }),
    ...definition,
    async commits(input: Input<Schema>, { toolCallId, tainted }: CommitsContext) {
      if (tainted) taintedCalls.add(toolCallId)
      return action.commits?.(input) ?? commits(page, getUses(input))
    },
    execute(input: Input<Schema>, context: ToolContext) {
      // A call that may run again, like `scroll`, isn't expected to lead to another page.
      const mayLeave = !uses && !definition.annotations.idempotent
      const trace: CallTrace = { before: new Map(), mayLeave, hasEntered: false }
      const run = async (): Promise<string> => {
        const isTainted = taintedCalls.delete(context.toolCallId)
        const isApproved = context.about !== undefined
        const mayCommit = !isTainted && !(context.tainted && isApproved)
        const callContext = { ...context, mayCommit }
        const getTarget = await bindUses(page, getUses(input), { ...callContext, trace })
        const { text } = await act(input, callContext, getTarget)
        if (fills) keepNewest(filled, context.toolCallId, readFilled(trace, livePage(page)))
        return text
      }
      return withUnloadNote(context.idempotencyKey, run, () => trace.mayLeave)
    },
    ...(fills && {
      undo: (_input: Input<Schema>, _output: unknown, { toolCallId, signal }: UndoContext) =>
        undoFields(filled.get(toolCallId), { page, signal }),
    }),
    reconcile: (_input: Input<Schema>, { idempotencyKey }: { readonly idempotencyKey: string }) =>
      readUnloadNote(idempotencyKey),
  } as ToolDefinitionOptions<string, Schema, string>)
}

const KEPT_CALLS = 100

function keepNewest<Value>(calls: Map<string, Value>, id: string, value: Value): void {
  calls.set(id, value)
  for (const oldest of calls.keys()) if (calls.size > KEPT_CALLS) calls.delete(oldest)
}

function recordContent(before: Map<Element, string>, element: Element): void {
  const content = before.has(element) ? null : contentOf(element)
  if (content !== null) before.set(element, content)
}

/** Filled in while a call acts. */
interface CallTrace {
  /** The content of fields before they were used. */
  readonly before: Map<Element, string>
  /** The call may have led to another page by now. */
  mayLeave: boolean
  hasEntered: boolean
}

function readFilled({ before, hasEntered }: CallTrace, { options }: LivePage): Filled {
  const fields = [...before].flatMap(([element, content]) => {
    const after = contentOf(element)
    if (after === null || after === content) return []
    const name = getAccessibleName(element, getShownRole(element), options).text
    return [{ element: new WeakRef(element), name, before: content, after }]
  })
  return { fields, hasEntered }
}

interface BindOptions extends Pick<ToolContext, 'about' | 'signal'> {
  readonly mayCommit: boolean
  readonly trace: CallTrace
}

/**
 * Finds the approved element of each use, and sets up the checks of the call. Call it before the tool acts.
 * `mayCommit`: the call may commit the person to something without approval.
 */
async function bindUses(
  page: Page,
  uses: readonly ElementUse[],
  { about, signal, mayCommit, trace }: BindOptions,
): Promise<(target: string) => Target> {
  const live = livePage(page)
  const record = readApprovalRecord(about)
  const bound = new Map<RecordedUse, Element>()
  for (const use of record?.uses ?? []) bound.set(use, findBoundElement(record, use, live))
  const guarded = { record, bound, live, action: uses[0]?.action ?? 'click', mayCommit }
  const startedUses = new Set<RecordedUse>()
  const usedElements: Element[] = []
  /** Throws if the approved use doesn't cover the action. If there is no use, throws if the action needs approval. */
  const requireCovered = (
    element: Element,
    effect: ActionEffect | undefined,
    use: RecordedUse | undefined,
  ): void => {
    const action = getElementAction(uses[0], effect)
    const pending = { does: commitOf(element, action, live.options), effect, action }
    if (!use) return requireNoApprovalNeeded(element, pending, guarded)
    requireSameCommit(use, pending.does)
    requireNamed(element, { ...pending, use }, guarded)
  }
  guardActions(signal, {
    checkBeforeAction(element, effect) {
      usedElements.push(element)
      recordContent(trace.before, element)
      trace.hasEntered ||= effect === 'activate'
      // Typed characters don't load another page. Setting a date, a choice or a file may submit its form.
      trace.mayLeave ||= trace.hasEntered || guarded.action !== 'type' || !isEditable(element)
      const use = findRecordedUse(element, effect, guarded)
      // While a text is typed, the element isn't compared again: its name may count the typed characters.
      const continuesTyping =
        effect === undefined && guarded.action !== 'press' && use && startedUses.has(use)
      if (record && use && !continuesTyping)
        requireSame(record, use, { live, isUntouched: startedUses.size === 0 })
      // A key goes to the focused element, but the approval named the element that was focused before.
      const isElsewhere = !use && record?.uses.some(({ target }) => target === undefined)
      if (isElsewhere && startedUses.size === 0) throw new PageError('stale-ref', FOCUS)
      requireCovered(element, effect, use)
      if (use) startedUses.add(use)
    },
    checkDuringAction(element, effect) {
      // The page may have renamed the element when the button went down.
      const use = findRecordedUse(element, effect, guarded)
      if (use) requireSameAddress(use, element, live)
      requireCovered(element, effect, use)
    },
    checkFormPost() {
      const last = usedElements.at(-1)
      if (!last) return
      if (!record && !mayCommit) throw unconfirmed(last, rememberPost(usedElements), live)
      const use = findRecordedUse(last, 'activate', guarded)
      if (use) requireSameAddress(use, last, live)
    },
  })
  return (target) => {
    const [, element] = [...bound].find(([use]) => use.target === target && !use.by) ?? []
    return element ?? target
  }
}

interface Guarded {
  readonly record: ApprovalRecord | null
  readonly bound: ReadonlyMap<RecordedUse, Element>
  readonly live: LivePage
  readonly action: PageAction
  readonly mayCommit: boolean
}

function findRecordedUse(
  element: Element,
  effect: ActionEffect | undefined,
  { bound }: Guarded,
): RecordedUse | undefined {
  const uses = [...bound.keys()].filter(
    (candidate) =>
      isPartOf(element, bound.get(candidate)) && (effect !== 'drop' || candidate.action === 'drop'),
  )
  // A field may have two uses: one fills it in, the other presses Enter in it.
  return uses.find(({ action }) => action === (effect === 'activate' ? 'enter' : effect)) ?? uses[0]
}

interface PendingAction {
  readonly does: string
  readonly effect: ActionEffect | undefined
  readonly action: ElementAction
}

/** Throws if the action would commit the person to something else than they have approved. */
function requireSameCommit(use: RecordedUse, does: string): void {
  if (!does || does === use.does) return
  throw new PageError(
    'stale-ref',
    `The element now ${does}, but ${formatApprovalTarget(use)} was approved. ${AGAIN}`,
  )
}

/** Throws if a link to another site has a new address since the approval. */
function requireSameAddress(use: RecordedUse, element: Element, live: LivePage): void {
  if (use.address === undefined || addressDigest(element, use, live) === use.address) return
  throw new PageError(
    'stale-ref',
    `${formatApprovalTarget(use)}: it leads somewhere else now. ${AGAIN}`,
  )
}

/** Throws if the pressed part always needs approval itself, but the approval only named an element around it. */
function requireNamed(
  element: Element,
  { use, effect, action: elementAction }: PendingAction & { readonly use: RecordedUse },
  { bound, live }: Guarded,
): void {
  const boundElement = bound.get(use)
  if (!effect || !boundElement) return
  const activated = activatedElements(boundElement, elementAction.action)
  // A press on a part of a control presses all of it.
  if (activated.includes(findControl(element))) return
  const { options } = live
  const { classify } = options
  const confirmOptions = {
    ...options,
    ...(classify && {
      classify: (candidate: Element, action: PageAction) =>
        activated.includes(candidate) ? undefined : classify(candidate, action),
    }),
    asked: activated.flatMap(marksOf),
  }
  if (mustConfirm(element, elementAction.action, confirmOptions))
    throw unconfirmed(element, '', live)
}

/** Throws if the element needs approval, and has none. */
function requireNoApprovalNeeded(
  element: Element,
  { does, effect, action: elementAction }: PendingAction,
  guarded: Guarded,
): void {
  const { record, bound, live, action, mayCommit } = guarded
  const { options } = live
  // Approval of a choice covers the option that it names.
  const choice = record?.uses.find(
    (candidate) =>
      candidate.action === 'select' && matchesLabels(element, candidate.labels ?? [], options),
  )
  // Typing may continue inside the approved part.
  const marks = effect === undefined ? [...bound.values()].flatMap(marksOf) : []
  const actions = effect ? [action, elementAction.action] : [action]
  const isMarked =
    !choice &&
    actions.some((candidate) => mustConfirm(element, candidate, { ...options, asked: marks }))
  const isUnapproved = does !== '' && !mayCommit && choice?.does !== does
  if (!isMarked && !isUnapproved) return
  throw unconfirmed(element, does, live)
}

function unconfirmed(element: Element, does: string, live: LivePage): PageError {
  const subject = describeElement(findControl(element), live)
  return new PageError('unconfirmed', `${subject}${does && `, which ${does}`}. ${UNCONFIRMED}`)
}

const FOCUS =
  'The focus has moved since this was approved. Read the page, and say where to press the key.'
const UNCONFIRMED =
  'A person must approve this element first. It was not there, not marked, or not what the call named. Make the call again, with the ref of this element.'

/** The action on an element that is about to be used. Typed keys and pointer moves activate nothing. */
function getElementAction(
  use: ElementUse | undefined,
  effect: ActionEffect | undefined,
): ElementAction {
  if (effect) return { action: effect === 'activate' ? 'enter' : effect }
  return use?.action === 'press' ? use : { action: 'type' }
}

function isPartOf(element: Element, boundElement: Element | undefined): boolean {
  return (
    boundElement !== undefined &&
    (contains(boundElement, element) || contains(element, boundElement))
  )
}

/** Returns the approved element. Throws `stale-ref` if it is gone, or has changed. */
function findBoundElement(
  record: ApprovalRecord | null,
  use: RecordedUse,
  live: LivePage,
): Element {
  const element = record?.load === PAGE_LOAD_ID ? lookUpRef(use.ref)?.element : undefined
  if (!record || !element || !isAttached(element))
    throw new PageError(
      'stale-ref',
      `${formatApprovalTarget(use)}: it is no longer on the page. ${AGAIN}`,
    )
  requireSame(record, use, { live, isUntouched: true })
  return element
}

function requireSame(
  record: ApprovalRecord,
  use: RecordedUse,
  { live, isUntouched }: { readonly live: LivePage; readonly isUntouched: boolean },
): void {
  const element = lookUpRef(use.ref)?.element
  const current = element && isAttached(element) ? describeApprovalTarget(element, live, use) : null
  const elapsedMs = Date.now() - record.at
  const isSame = current && isSameApprovalTarget(use, current, { elapsedMs, isUntouched })
  if (isSame && (!isUntouched || hasSameSurroundings(use, current, { elapsedMs }))) return
  const [approvedLine, currentLine] = [
    formatApprovalTarget(use),
    current && formatApprovalTarget(current),
  ]
  // The two lines may be equal: lines leave out some of what is compared.
  const hiddenDifference =
    current && hasSameSurroundings(use, current, { elapsedMs })
      ? 'is another one in what is not shown: the end of a long name, place or address, or what it sends'
      : 'is in a form or dialog that holds something else now'
  const difference = currentLine === approvedLine ? hiddenDifference : `is ${currentLine} now`
  const outcome = current ? difference : 'is no longer on the page'
  throw new PageError('stale-ref', `What was approved, ${approvedLine}, ${outcome}. ${AGAIN}`)
}

const AGAIN = 'Nothing was done. Read the page again.'

/** A field that a call changed: what it held before, and what the call left in it. */
export interface FilledField {
  readonly element: WeakRef<Element>
  /** The element's name when it was filled: pages may reuse an element for something else. */
  readonly name: string
  readonly before: string
  readonly after: string
}

interface Filled extends Pick<CallTrace, 'hasEntered'> {
  readonly fields: readonly FilledField[]
}

/**
 * Restores the content of the fields, last field first. Throws before changing anything if a field is gone, has another
 * name, or holds something else by now. `filled`: undefined after a reload.
 */
async function undoFields(filled: Filled | undefined, options: ActOptions): Promise<void> {
  if (!filled)
    throw new PageError(
      'stale-ref',
      'What the fields held before is only known until the page is left.',
    )
  if (filled.hasEntered)
    throw new PageError('unsupported', "Enter was pressed, and what that did can't be undone.")
  const fields = filled.fields
    .toReversed()
    .map((field) => ({ ...field, element: requireSameField(field, options) }))
  for (const { element, before } of fields) {
    if (contentOf(element) === before) continue
    await restore(element, before, options)
    if (contentOf(element) !== before)
      throw createError(element, 'did not take back what it held', options)
  }
}

function requireSameField(field: FilledField, options: ActOptions): HTMLElement {
  const element = field.element.deref()
  if (!element || !isElement(element) || !isAttached(element))
    throw new PageError('stale-ref', `The field "${field.name}" is no longer on the page.`)
  const { text } = getAccessibleName(element, getShownRole(element), livePage(options.page).options)
  if (text !== field.name) throw createError(element, 'is for something else now', options)
  const current = contentOf(element)
  if (current !== field.after && current !== field.before)
    throw createError(element, 'was changed since, so it keeps what it holds', options)
  // A typed line break would be an Enter, which may send the text.
  if (field.before.includes('\n') && takesEnter(element))
    throw createError(element, "can't be set as it was", options)
  return element
}

function createError(element: Element, reason: string, { page }: ActOptions): PageError {
  const live = livePage(page)
  return new PageError('refused-value', scrub(`${describeElement(element, live)} ${reason}.`, live))
}

async function restore(target: HTMLElement, before: string, options: ActOptions): Promise<void> {
  const element = (isTag(target, 'label') && target.control) || target
  if (isTag(element, 'select')) return restoreChoices(element, before, options)
  const radios = radiosOf(element)
  const radio = radios[Number(before)]
  if (isElement(radio)) await setChecked(radio, true, options)
  else if (radios.length > 0) throw createError(element, "can't be unchecked", options)
  else if (/^(true|false)$/.test(before) && !editableIn(element))
    await setChecked(element, before === 'true', options)
  else if (getShownRole(element) !== 'combobox' || editableIn(element) || isPickerField(element))
    await typeText(element, before, options)
  else if (before.trim()) await selectOption(element, before.trim(), options)
  else throw createError(element, "can't be emptied", options)
}

async function restoreChoices(
  list: HTMLSelectElement,
  before: string,
  options: ActOptions,
): Promise<void> {
  const choices = new Map(JSON.parse(before) as [number, string][])
  await perform(options, async ({ live }) => {
    requireAllowed(list, live.options)
    const isSame = [...choices].every(([index, value]) => list.options[index]?.value === value)
    if (!isSame || isDisabled(list)) throw createError(list, "can't be set as it was", options)
    for (const option of list.options) option.selected = choices.has(option.index)
    sendChoice(list)
    return { summary: '', element: list, expectsChange: false }
  })
}
