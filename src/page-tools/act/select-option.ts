import { cleanText, normalize, quote, quoteSent, shorten } from '../clean-text.ts'
import {
  ancestorsOf,
  closest,
  contains,
  focusedElement,
  getParent,
  isElement,
  isTag,
  viewOf,
} from '../dom.ts'
import * as native from '../native.ts'
import type { LivePage } from '../outline/live-page.ts'
import { type ActOptions, PageError } from '../page.ts'
import { isMasked } from '../secrets/secret-fields.ts'
import { optionTexts } from '../read/line.ts'
import { isDisabled, isReadOnly } from '../outline/state.ts'
import { deadline, nextFrame, poll, sleep } from '../waiting.ts'
import {
  allowsSeveral,
  chosenTwin,
  findOption,
  holdsOther,
  isOpen,
  LEVELS,
  findList,
  LISTS,
  namesOf,
  nativeChoice,
  type OptionSearch,
  optionsFor,
  presentBeforeOpening,
  scopeOf,
  scrollerOf,
} from './option-list.ts'
import { clickElement } from './click.ts'
import { describeElement, resolveTarget, type Target } from './target.ts'
import { keyOf } from './text/key.ts'
import { sendKeyPress } from './text/keyboard.ts'
import { type ActionReport, perform, type ResultReporter } from './perform.ts'
import { getShownRole } from '../outline/role.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { makeReady } from './make-ready.ts'
import { editableIn, sendChoice } from './field-kind.ts'
import { typeInto } from './text/type-text.ts'
import { type ActionContext, checkAction, canReceiveKeys } from './guard-actions.ts'
import { showAction } from './highlight.ts'
import { requireAllowed } from '../outline/region.ts'
import { hitTest } from './hit-test.ts'
import { movePointer } from './pointer.ts'

// Detects whether the page took a choice: by the option's own state, and by the text in the field beside its list.

const UNREAD = 'select,script,style,template'

/** An option about to be clicked, and what its field shows before the click. */
interface PendingChoice {
  readonly option: HTMLElement
  readonly names: readonly string[]
  readonly scope: Element
  readonly timesShown: number
  readonly isValue: boolean
  /** The list sets `aria-selected` on the option under the pointer, chosen or not. */
  readonly marksPointer: boolean
}

/** Call it before the click. */
function createPendingChoice(
  option: HTMLElement,
  search: OptionSearch,
  marksPointer: boolean,
): PendingChoice {
  const { element } = search
  const names = namesOf(option, search).map(normalize).filter(Boolean)
  const scope = scopeOf(element)
  return {
    option,
    names,
    scope,
    marksPointer,
    timesShown: timesShown({ option, names, scope }, element),
    isValue: isValue(element, names),
  }
}

/** Whether the page shows the option as chosen now. */
function isShownAsChosen(choice: PendingChoice, element: HTMLElement): boolean {
  const { option, names, scope, marksPointer } = choice
  if (native.isConnected(option) && (isChecked(option) || (!marksPointer && isSelected(option))))
    return true
  if (names.some((name) => isChosenNatively(scope, name))) return true
  // While the list is open, the field may hold the text typed to filter it: that proves no choice.
  if (isValue(element, names) && (!choice.isValue || !isOpen(element))) return true
  return timesShown(choice, element) > choice.timesShown
}

/** Whether the option's name appears in its field, outside of its list. */
function isNameShown(option: HTMLElement, search: OptionSearch): boolean {
  const { timesShown: count, isValue: isFieldValue } = createPendingChoice(option, search, false)
  return count > 0 || isFieldValue
}

/** Whether a native select that a component keeps for its form has the choice. */
function isChosenNatively(scope: Element, name: string): boolean {
  const normalized = normalize(name)
  return [...native.querySelectorAll<HTMLSelectElement>(scope, 'select')].some((select) =>
    [...select.selectedOptions].some(({ label }) => normalize(label) === normalized),
  )
}

/** Whether `aria-checked` or a checked box shows the option as chosen. Hovering causes neither. */
function isChecked(option: HTMLElement): boolean {
  return (
    native.matches(option, '[aria-checked="true"],:checked') ||
    native.querySelector(option, ':checked') !== null
  )
}

/** Whether the option has `aria-selected`. Some lists set it on the highlighted option only. */
function isSelected(option: HTMLElement): boolean {
  return native.matches(option, '[aria-selected="true"]')
}

function isValue(element: Element, names: readonly string[]): boolean {
  return names.includes(normalize(getInputValue(element) ?? native.textContent(element)))
}

function getInputValue(element: Element): string | null {
  return isTag(element, 'input') || isTag(element, 'textarea') ? element.value : null
}

/** Counts the places around the field, outside of lists, that show one of the names. */
function timesShown(
  { option, names, scope }: Pick<PendingChoice, 'option' | 'names' | 'scope'>,
  element: HTMLElement,
): number {
  const list = getParent(option)
  const isExcluded = (candidate: Element): boolean =>
    native.matches(candidate, UNREAD) ||
    !native.checkVisibility(candidate) ||
    (!contains(candidate, element) &&
      (candidate === list || candidate === option || native.matches(candidate, LISTS)))
  let count = 0
  const countText = (text: string): void => {
    const normalized = normalize(text)
    if (names.some((name) => normalized.includes(name))) count += 1
  }
  const visit = (current: Element): void => {
    countText(getInputValue(current) ?? '')
    for (const node of native.childNodes(current)) {
      if (native.nodeType(node) === 3) countText(native.nodeValue(node) ?? '')
      else if (native.nodeType(node) === 1 && !isExcluded(node as Element)) visit(node as Element)
    }
  }
  visit(scope)
  return count
}

/** How long a list may take to open and fill. Milliseconds. */
const OPEN_MS = 1500
const SCROLLS = 60

export async function selectOption(
  target: Target,
  labels: string | readonly string[],
  options: ActOptions = {},
): Promise<ActionReport> {
  const element = await resolveTarget(target, options)
  const labelList = [labels].flat()
  return perform(options, async (context) => ({
    summary: await applyChoice(element, labelList, context),
    element,
    expectsChange: false,
  }))
}

/** Makes the choice and returns its reporter, for actions of several steps. */
export async function applyChoice(
  element: HTMLElement,
  labels: readonly string[],
  context: ActionContext,
): Promise<ResultReporter> {
  if (labels.length === 0) throw new PageError('invalid-input', 'Say which option.')
  if (isTag(element, 'label') && element.control) {
    requireAllowed(element.control, context.live.options)
    return applyChoice(element.control, labels, context)
  }
  return isTag(element, 'select')
    ? chooseNative(element, labels, context)
    : chooseCustom(element, labels, context)
}

async function chooseNative(
  select: HTMLSelectElement,
  labels: readonly string[],
  context: ActionContext,
): Promise<ResultReporter> {
  const { live, signal } = context
  const isHidden = hiddenReason(select) !== null
  // Scrolls to the select first: out of view, it looks as if a library had hidden it behind the library's own list.
  if (!isHidden) await makeReady(select, { live, signal, byKeys: true })
  const standIn = findStandIn(select, labels)
  const usesStandIn = isHidden && standIn !== null
  if (isHidden && !standIn) await makeReady(select, { live, signal })
  await showAction(live, standIn ?? select)
  if (labels.length > 1 && !select.multiple)
    throw new PageError('refused-value', `${describeElement(select, live)} takes one option only.`)
  const chosen = labels.map((label) => findNativeOption(select, label, context))
  for (const item of [select, ...chosen]) checkAction(item, context)
  if (usesStandIn) await chooseCustom(standIn, labels, context)
  else {
    select.focus({ preventScroll: true })
    const before = [...select.selectedOptions]
    for (const option of select.options) option.selected = chosen.includes(option)
    const isSame =
      before.length === chosen.length && before.every((candidate) => chosen.includes(candidate))
    if (!isSame) sendChoice(select)
    if (standIn) await chooseVisibly(standIn, { select, labels }, context)
  }
  return (result) =>
    reportNativeChoice(select, { labels, chosen, live, ...result }) +
    (standIn && native.isConnected(standIn) && !isSelectionShown(standIn, select)
      ? ` A person still sees ${describeElement(standIn, live)} there.`
      : '')
}

const LIST_FIELDS = '[role=combobox],[aria-haspopup]'
const NO_STAND_INS = 'label,script,style,input,select,textarea,button,a[href]'
const SMALLEST_PX = 8

/**
 * The element that a library shows beside a hidden select, in its place. The element says that it opens a list, shows
 * the chosen option, or has a list with the wanted options.
 */
function findStandIn(select: HTMLSelectElement, labels: readonly string[]): HTMLElement | null {
  const hit = hitTest(select)
  // A hit on the select's label doesn't count.
  if ('receiver' in hit && contains(select, hit.receiver)) return null
  const chosen = [...select.selectedOptions].map(({ label }) => normalize(label))
  const isStandIn = (candidate: Element | null): candidate is HTMLElement => {
    if (!candidate || !isElement(candidate) || hiddenReason(candidate)) return false
    const { width, height } = native.getBoundingClientRect(candidate)
    if (Math.min(width, height) < SMALLEST_PX) return false
    if (native.matches(candidate, LIST_FIELDS)) return true
    const text = normalize(native.innerText(candidate))
    const showsChosen = text !== '' && chosen.includes(text)
    return !native.matches(candidate, NO_STAND_INS) && (showsChosen || hasList(candidate, labels))
  }
  for (const ancestor of [select, ...ancestorsOf(select)].slice(0, LEVELS)) {
    if (isTag(ancestor, 'body')) break
    const siblings = [native.nextElementSibling(ancestor), native.previousElementSibling(ancestor)]
    const found = siblings.find(isStandIn)
    if (found) return findClickablePart(found, labels)
    if (holdsOther(ancestor, select)) break
  }
  return null
}

/** The part to click in an element that also holds the list: the first visible part. */
function findClickablePart(standIn: HTMLElement, labels: readonly string[]): HTMLElement {
  const [first] = [...native.children(standIn)].filter((candidate) =>
    native.checkVisibility(candidate),
  )
  return first && isElement(first) && containsLabels([standIn], labels) ? first : standIn
}

/** Whether the element, or its next sibling, has elements with these labels. */
function hasList(standIn: Element, labels: readonly string[]): boolean {
  return containsLabels([standIn, native.nextElementSibling(standIn)], labels)
}

function containsLabels(lists: readonly (Element | null)[], labels: readonly string[]): boolean {
  const elements = lists.flatMap((list) => [
    ...(list ? native.querySelectorAll(list, ':not(option)') : []),
  ])
  const texts = new Set(elements.map((part) => normalize(native.textContent(part))))
  return labels.every((label) => texts.has(normalize(label)))
}

/** Whether the element shows the chosen options, and not a list of all. */
function isSelectionShown(standIn: HTMLElement, select: HTMLSelectElement): boolean {
  const lines = native.innerText(standIn).split('\n').map(normalize)
  return [...select.options].every(({ label, selected }) => {
    const name = normalize(label)
    return !name || (selected ? lines.some((line) => line.includes(name)) : !lines.includes(name))
  })
}

/** Chooses in the visible list if what a person sees doesn't change with the select. */
async function chooseVisibly(
  standIn: HTMLElement,
  { select, labels }: { readonly select: HTMLSelectElement; readonly labels: readonly string[] },
  context: ActionContext,
): Promise<void> {
  native.blur(select)
  const isShown = (): boolean => isSelectionShown(standIn, select)
  if (await poll(isShown, deadline(viewOf(select), 300), context)) return
  const search = { element: standIn, options: context.live.options, before: new Set<Element>() }
  try {
    const [label = ''] = labels
    // Focusing the select may have opened the list.
    const openOption = labels.length === 1 ? findOption(search, label) : undefined
    if (openOption) await clickElement(openOption, context)
    else await chooseCustom(standIn, labels, context)
  } catch (error) {
    // The select itself has the choice. The report says what is displayed.
    if (!PageError.is(error)) throw error
  }
}

function findNativeOption(
  select: HTMLSelectElement,
  label: string,
  { live }: ActionContext,
): HTMLOptionElement {
  const name = describeElement(select, live)
  const found = nativeChoice(select, label)
  if (!found) {
    const isSecret = isMasked(select, live.options)
    const labels = isSecret ? [] : optionTexts(select.options, live.options)
    throw optionNotFound(name, label, labels)
  }
  if (found.disabled || found.closest('optgroup:disabled'))
    throw new PageError('disabled', `The option ${quoteSent(label)} of ${name} is disabled.`)
  return found
}

async function chooseCustom(
  element: HTMLElement,
  labels: readonly string[],
  context: ActionContext,
): Promise<ResultReporter> {
  const { options } = context.live
  const search: OptionSearch = { element, options, before: presentBeforeOpening(element, labels) }
  const choices: CustomChoice[] = []
  let isMultiple = labels.length > 1
  for (const label of labels) {
    if (!isOpen(element)) await openList(element, context)
    const option = await revealOption(search, label, context)
    if (!option) {
      choices.push({ label, chosen: true })
      continue
    }
    isMultiple ||= allowsSeveral(option, search)
    const state = await detectState(option, search, context)
    const isMenu = getShownRole(option).startsWith('menuitem')
    // A click on a chosen option of a multiple-choice list would deselect it.
    if (isMultiple && state.isChosen) choices.push({ label, chosen: true })
    else {
      choices.push({
        label,
        isMenu,
        pending: createPendingChoice(option, search, state.marksPointer),
      })
      await clickElement(option, context)
    }
  }
  if (isMultiple) await closeList(element, context)
  return (result) => reportCustomChoice(element, { choices, live: context.live, ...result })
}

/**
 * Returns the option, after typing or scrolling if it isn't in view. Undefined if the list leaves it out because it is
 * chosen already.
 */
async function revealOption(
  search: OptionSearch,
  label: string,
  context: ActionContext,
): Promise<HTMLElement | undefined> {
  const { element } = search
  const view = viewOf(element)
  const find = (): HTMLElement | undefined => findOption(search, label)
  let option = await poll(find, deadline(view, 600), context)
  const masked = isMasked(element, context.live.options)
  if (!option && !masked && isChosenNatively(scopeOf(element), label)) return undefined
  const field = option ? null : editableIn(element)
  if (field && !isReadOnly(field)) {
    // A typed line break would press Enter.
    await typeInto(field, label.replace(/\s+/g, ' '), { context, options: {} })
    option = await poll(find, deadline(view, OPEN_MS), context)
  }
  option ??= await scrollToOption(search, label, context)
  if (!option) {
    const names = masked
      ? []
      : optionsFor(search).flatMap((candidate) => namesOf(candidate, search)[0] ?? [])
    throw optionNotFound(describeElement(element, context.live), label, names)
  }
  requireAllowed(option, context.live.options)
  if (isDisabled(option))
    throw new PageError('disabled', `The option ${quoteSent(label)} is disabled.`)
  return option
}

async function openList(element: HTMLElement, context: ActionContext): Promise<void> {
  await clickElement(element, context)
  if (await poll(() => findList(element), deadline(viewOf(element), 500), context)) return
  const opensByKey = native.matches(element, '[role=combobox],[aria-haspopup]')
  if (native.ariaExpanded(element) !== 'true' && opensByKey)
    sendKeyPress(element, keyOf('ArrowDown'), context)
}

/**
 * Closes a multiple-choice list that stays open and covers the page. Leaves it open in a dialog, which Escape might
 * close.
 */
async function closeList(element: HTMLElement, context: ActionContext): Promise<void> {
  await nextFrame(viewOf(element))
  if (findList(element) === element || !isOpen(element)) return
  if (closest(element, 'dialog,[role=dialog],[role=alertdialog]')) return
  const receiver = focusedElement(native.ownerDocument(element))
  if (receiver && canReceiveKeys(receiver, context.live))
    sendKeyPress(receiver, keyOf('Escape'), context)
  await poll(() => !isOpen(element), deadline(viewOf(element), 300), context)
}

/** Virtual lists are scrolled until the option is rendered. */
async function scrollToOption(
  search: OptionSearch,
  label: string,
  { signal }: ActionContext,
): Promise<HTMLElement | undefined> {
  for (let step = 0; step < SCROLLS; step += 1) {
    const first = optionsFor(search)[0]
    const scroller = first && scrollerOf(first)
    if (!scroller) return undefined
    const top = native.scrollTop(scroller)
    native.scrollTo(scroller, step === 0 ? 0 : top + native.clientHeight(scroller) * 0.8)
    await sleep(40, signal)
    const found = findOption(search, label)
    if (found) return found
    if (step > 0 && native.scrollTop(scroller) <= top) return undefined
  }
  return undefined
}

function optionNotFound(name: string, label: string, names: readonly string[]): PageError {
  const normalized = normalize(label)
  const similar = names.filter((candidate) => normalize(candidate).includes(normalized.slice(0, 3)))
  const listed = (similar.length > 0 ? similar : names)
    .slice(0, 8)
    .map((item) => quote(shorten(item, 60)))
  const moreNote = names.length > listed.length ? ` and ${names.length - listed.length} more` : ''
  const optionsNote =
    listed.length > 0 ? ` It has ${listed.join(', ')}${moreNote}.` : ' It shows none to read.'
  return new PageError(
    'not-found',
    `${name} has no single option ${quoteSent(label)}.${optionsNote}`,
  )
}

/** State of an option before the click. */
interface OptionState {
  readonly isChosen: boolean
  /** The list sets `aria-selected` on the option under the pointer, chosen or not. */
  readonly marksPointer: boolean
}

/**
 * Finds out whether an option is chosen. Some lists set `aria-selected` on the choice, others only on the highlighted
 * option, which moves with the pointer. Leaves the pointer over an option.
 */
async function detectState(
  option: HTMLElement,
  search: OptionSearch,
  { live, signal }: ActionContext,
): Promise<OptionState> {
  const before = isSelected(option)
  const otherOptions = optionsFor(search).filter((candidate) => candidate !== option)
  movePointer(live, await makeReady(option, { live, signal }))
  await nextFrame(viewOf(option))
  const scope = scopeOf(search.element)
  const isCertain =
    isChecked(option) ||
    // Some lists expose the state of an option only while the pointer is over it.
    chosenTwin(option, search) ||
    namesOf(option, search).some((name) => isChosenNatively(scope, name))
  if (!isSelected(option)) return { isChosen: isCertain, marksPointer: false }
  if (!before) return { isChosen: isCertain, marksPointer: true }
  if (isCertain) return { isChosen: true, marksPointer: false }
  for (const other of otherOptions) {
    const hit = hitTest(other)
    if (!('receiver' in hit)) continue
    movePointer(live, hit)
    await nextFrame(viewOf(option))
    const remainsSelected = isSelected(option)
    return { isChosen: remainsSelected, marksPointer: !remainsSelected }
  }
  // If there are no other options to compare with, checks whether the field shows this option.
  const isChosen = isNameShown(option, search)
  return { isChosen, marksPointer: !isChosen }
}

interface ReportContext {
  readonly live: LivePage
  readonly changed: boolean
}

const MAX_LABEL_LENGTH = 60

/** Reports a choice in a native select, which the page may have reverted. */
function reportNativeChoice(
  select: HTMLSelectElement,
  {
    labels: wanted,
    chosen,
    live,
    changed,
  }: ReportContext & {
    readonly labels: readonly string[]
    readonly chosen: readonly HTMLOptionElement[]
  },
): string {
  const name = describeElement(select, live)
  const labelText = wanted.map(quoteSent).join(', ')
  const isKept = chosen.every(({ label, value }) =>
    [...select.selectedOptions].some(
      (candidate) => candidate.label === label && candidate.value === value,
    ),
  )
  // Reports nothing about the state of a masked list, not even a reverted choice.
  if (isKept || isMasked(select, live.options)) return `Chose ${labelText} in ${name}.`
  if (!native.isConnected(select)) return `Chose ${labelText} in ${name}; the page replaced it.`
  const current = [...select.selectedOptions].map(({ label }) =>
    quote(shorten(cleanText(label), MAX_LABEL_LENGTH)),
  )
  const currentNote =
    current.length > 0 ? `it shows ${current.join(', ')}` : 'nothing is chosen in it'
  if (changed) return `Chose ${labelText} in ${name}; now ${currentNote}.`
  throw new PageError('refused-value', `${name} did not keep ${labelText}: ${currentNote}.`)
}

/** A choice in a component's own list. */
interface CustomChoice {
  readonly label: string
  /** Chosen before the call. */
  readonly chosen?: boolean
  /** Menu items act on a click, and aren't chosen afterwards. */
  readonly isMenu?: boolean
  readonly pending?: PendingChoice
}

/** Reports choices in a component's own list. */
function reportCustomChoice(
  element: HTMLElement,
  { choices, live, changed }: ReportContext & { readonly choices: readonly CustomChoice[] },
): string {
  const name = describeElement(element, live)
  const groups = { chosen: [] as string[], shown: [] as string[], clicked: [] as string[] }
  const missing: string[] = []
  const isSilent = isMasked(element, live.options) || !native.isConnected(element)
  for (const { label, chosen, isMenu, pending } of choices) {
    const text = quoteSent(label)
    if (chosen || !pending) groups.chosen.push(text)
    else if (isSilent || isShownAsChosen(pending, element)) groups.shown.push(text)
    else if (isMenu) groups.clicked.push(text)
    else missing.push(text)
  }
  const lines = [
    groups.shown.length > 0 && `Chose ${groups.shown.join(', ')} in ${name}.`,
    groups.chosen.length > 0 && `${groups.chosen.join(', ')} was chosen already in ${name}.`,
    groups.clicked.length > 0 &&
      `Clicked ${groups.clicked.join(', ')} of ${name}.${changed ? '' : ' Nothing changed.'}`,
    missing.length > 0 &&
      `Clicked ${missing.join(', ')} in ${name}, but nothing shows that it was taken.`,
  ].filter((line) => line !== false)
  const text = lines.join(' ')
  if (missing.length > 0 && !changed) throw new PageError('refused-value', text)
  return text
}
