import { cleanText, normalize, quote, shorten } from '../clean-text.ts'
import { isElement, isTag, referenced } from '../dom.ts'
import { livePage } from '../live-page.ts'
import type { ActOptions } from '../options.ts'
import { PageError } from '../page-error.ts'
import { isMasked } from '../privacy.ts'
import { nameOf } from '../read/name.ts'
import { whyInvisible } from '../read/look.ts'
import { roleOf } from '../read/role.ts'
import { isDisabled } from '../read/state.ts'
import { sleep } from '../waiting.ts'
import { clickElement } from './click.ts'
import { describeElement } from './describe.ts'
import { keyOf } from './key.ts'
import { pressKey } from './keyboard.ts'
import { perform, type ActionContext, type ActionReport } from './perform.ts'
import { makeReady } from './ready.ts'
import { editableIn } from './field-kind.ts'
import { sendChoice } from './set-value.ts'
import { typeInto } from './type-text.ts'
import { resolveTarget, type Target } from './target.ts'

const OPTIONS =
  '[role=option],[role=menuitem],[role=menuitemradio],[role=menuitemcheckbox],[role=treeitem]'
const RADIOS = '[role=radio],input[type=radio]'
/** How long a list may take to open and fill. Milliseconds. */
const OPEN_MS = 1500
const SCROLLS = 60

/** Chooses by the visible label, in a native select as in a list that a component draws itself. */
export async function selectOption(
  target: Target,
  labels: string | readonly string[],
  options: ActOptions = {},
): Promise<ActionReport> {
  const { page, signal } = options
  const element = await resolveTarget(target, { page, live: livePage(page), signal })
  const wanted = [labels].flat()
  return perform(options, async (context) => ({
    said: await choose(element, wanted, context),
    element,
    expectsChange: false,
  }))
}

/** The choice alone; says what was chosen. */
export async function choose(
  element: HTMLElement,
  wanted: readonly string[],
  context: ActionContext,
): Promise<string> {
  if (wanted.length === 0) throw new PageError('invalid-input', 'Say which option.')
  if (isTag(element, 'select')) await chooseNative(element, wanted, context)
  else for (const label of wanted) await chooseDrawn(element, label, context)
  return `Chose ${wanted.map(quote).join(', ')} in ${describeElement(element, context.live)}.`
}

async function chooseNative(
  select: HTMLSelectElement,
  wanted: readonly string[],
  context: ActionContext,
): Promise<void> {
  const { live, signal, show } = context
  await makeReady(select, { live, signal })
  await show(select)
  if (wanted.length > 1 && !select.multiple)
    throw new PageError('refused-value', `${describeElement(select, live)} takes one option only.`)
  const chosen = wanted.map((label) => nativeOption(select, label, context))
  select.focus({ preventScroll: true })
  const before = [...select.selectedOptions]
  for (const option of select.options) option.selected = chosen.includes(option)
  if (before.length === chosen.length && before.every((option) => chosen.includes(option))) return
  sendChoice(select)
}

function nativeOption(
  select: HTMLSelectElement,
  label: string,
  { live }: ActionContext,
): HTMLOptionElement {
  const name = describeElement(select, live)
  const options = [...select.options]
  const found =
    best(options, label, (option) => option.label) ?? options.find(({ value }) => value === label)
  if (!found)
    throw noOption(
      name,
      label,
      isMasked(select, live.options) ? [] : options.map((option) => option.label),
    )
  if (found.disabled || found.closest('optgroup:disabled'))
    throw new PageError('disabled', `The option ${quote(label)} of ${name} is disabled.`)
  return found
}

async function chooseDrawn(
  element: HTMLElement,
  label: string,
  context: ActionContext,
): Promise<void> {
  const before = new Set(shownOptions(element))
  const textsBefore = new Set(textHolders(label, element))
  if (!listFor(element)) await openList(element, context)
  const find = (): HTMLElement | undefined =>
    best(candidates(element, before), label, (one) => nameIn(one, context)) ??
    textHolders(label, element).find((one) => !textsBefore.has(one) && !element.contains(one))
  let option = await until(find, context, 600)
  const field = option ? null : editableIn(element)
  if (field) {
    await typeInto(field, label, { context, options: {} })
    option = await until(find, context, OPEN_MS)
  }
  option ??= await scrollToOption(find, element, { context, before })
  if (!option) {
    const masked = isMasked(element, context.live.options)
    const names = masked ? [] : candidates(element, before).map((one) => nameIn(one, context))
    throw noOption(describeElement(element, context.live), label, names)
  }
  if (isDisabled(option)) throw new PageError('disabled', `The option ${quote(label)} is disabled.`)
  await clickElement(option, context)
}

async function openList(element: HTMLElement, context: ActionContext): Promise<void> {
  if (element.getAttribute('aria-expanded') === 'true') return
  await clickElement(element, context)
  if (await until(() => listFor(element) ?? undefined, context, 500)) return
  if (element.getAttribute('aria-expanded') !== 'true' && element.hasAttribute('aria-haspopup'))
    pressKey(element, keyOf('ArrowDown'))
}

/** Lists that draw only what is in view are scrolled until the option is there. */
async function scrollToOption(
  find: () => HTMLElement | undefined,
  element: HTMLElement,
  { context, before }: { readonly context: ActionContext; readonly before: ReadonlySet<Element> },
): Promise<HTMLElement | undefined> {
  for (let step = 0; step < SCROLLS; step += 1) {
    const first = candidates(element, before)[0]
    const scroller = first && scrollable(first)
    if (!scroller) return undefined
    const top = scroller.scrollTop
    scroller.scrollTop = step === 0 ? 0 : top + scroller.clientHeight * 0.8
    await sleep(40, context.signal)
    const found = find()
    if (found) return found
    if (step > 0 && scroller.scrollTop <= top) return undefined
  }
  return undefined
}

function scrollable(element: Element): Element | null {
  for (let at = element.parentElement; at; at = at.parentElement)
    if (at.scrollHeight > at.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY))
      return at
  return null
}

/** The list that belongs to a combobox: named by it, or inside it. */
function listFor(element: HTMLElement): Element | null {
  if (/^(listbox|menu|tree)$/.test(element.getAttribute('role') ?? '')) return element
  if (holdsRadios(element)) return element
  const lists = [...referenced(element, 'aria-controls'), ...referenced(element, 'aria-owns')]
  const inner = element.querySelector('[role=listbox],[role=menu]')
  const list = [...lists, ...(inner ? [inner] : [])].find(
    (one) => whyInvisible(one) === null && optionsIn(one).length > 0,
  )
  return list ?? null
}

function candidates(element: HTMLElement, before: ReadonlySet<Element>): HTMLElement[] {
  const list = listFor(element)
  if (list) return optionsIn(list)
  const shown = shownOptions(element)
  const fresh = shown.filter((option) => !before.has(option))
  return fresh.length > 0 ? fresh : shown
}

function shownOptions(element: HTMLElement): HTMLElement[] {
  const host = element.getRootNode() as Document | ShadowRoot
  const here = 'host' in host ? [...optionsIn(host), ...optionsIn(host.host)] : []
  const inside = element.shadowRoot ? optionsIn(element.shadowRoot) : []
  return [
    ...new Set([...inside, ...here, ...optionsIn(element.ownerDocument), ...optionsIn(element)]),
  ]
}

function holdsRadios(element: Element): boolean {
  return /^(radiogroup|group)$/.test(roleOf(element)) && element.querySelector(RADIOS) !== null
}

function optionsIn(scope: ParentNode): HTMLElement[] {
  // Native ones may be hidden behind their labels.
  if (isElement(scope as Element) && holdsRadios(scope as Element))
    return [...scope.querySelectorAll<HTMLElement>(RADIOS)]
  const owned = isElement(scope as Element) ? referenced(scope as Element, 'aria-owns') : []
  const found = [...scope.querySelectorAll(OPTIONS), ...owned.filter((one) => one.matches(OPTIONS))]
  return found.filter((one): one is HTMLElement => isElement(one) && isDrawn(one))
}

/** Some components keep a list of their options for assistive technology only, without a size. */
function isDrawn(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect()
  return width > 1 && height > 1 && whyInvisible(element) === null
}

/** What shows exactly this text: options that are drawn without a role. */
function textHolders(label: string, { ownerDocument }: Element): HTMLElement[] {
  const wanted = normalize(label)
  const walker = ownerDocument.createTreeWalker(ownerDocument.body, NodeFilter.SHOW_TEXT)
  const holders: HTMLElement[] = []
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const holder = node.parentElement
    if (holder && normalize(node.nodeValue ?? '') === wanted && isDrawn(holder))
      holders.push(holder)
  }
  return holders
}

function nameIn(option: HTMLElement, { live }: ActionContext): string {
  return nameOf(option, 'option', live.options).text || cleanText(option.textContent)
}

/** Exactly so, else but for case, else the only one that contains it. */
function best<Option>(
  options: readonly Option[],
  label: string,
  nameOfOption: (option: Option) => string,
): Option | undefined {
  const wanted = normalize(label)
  const exact = options.find((option) => cleanText(nameOfOption(option)) === label)
  const same = exact ?? options.find((option) => normalize(nameOfOption(option)) === wanted)
  if (same || !wanted) return same
  const partial = options.filter((option) => normalize(nameOfOption(option)).includes(wanted))
  return partial.length === 1 ? partial[0] : undefined
}

async function until<Value>(
  find: () => Value | undefined,
  { signal }: ActionContext,
  ms: number,
): Promise<Value | undefined> {
  const end = performance.now() + ms
  for (;;) {
    const found = find()
    if (found || performance.now() > end) return found
    await sleep(40, signal)
  }
}

function noOption(name: string, label: string, names: readonly string[]): PageError {
  const wanted = normalize(label)
  const close = names.filter((one) => normalize(one).includes(wanted.slice(0, 3)))
  const shown = (close.length > 0 ? close : names).slice(0, 8).map((one) => quote(shorten(one, 60)))
  const rest = names.length > shown.length ? ` and ${names.length - shown.length} more` : ''
  const list = shown.length > 0 ? ` It has ${shown.join(', ')}${rest}.` : ' It shows none to read.'
  return new PageError('not-found', `${name} has no single option ${quote(label)}.${list}`)
}
