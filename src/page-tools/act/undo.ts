import { isAttached, isElement, isTag } from '../dom.ts'
import { getAccessibleName } from '../outline/name.ts'
import { livePage, scrub } from '../outline/live-page.ts'
import { requireAllowed } from '../outline/region.ts'
import { getShownRole } from '../outline/role.ts'
import { isDisabled } from '../outline/state.ts'
import { type ActOptions, PageError } from '../page.ts'
import { contentOf, editableIn, isPickerField, radiosOf, sendChoice } from './field-kind.ts'
import { setChecked } from './fill-form.ts'
import { perform } from './perform.ts'
import { selectOption } from './select-option.ts'
import { describeElement } from './target.ts'
import { typeText } from './text/type-text.ts'

/** A field that a call changed: what it held before, and what the call left in it. */
export interface FilledField {
  readonly element: WeakRef<Element>
  /** The element's name then: pages use elements again for something else. */
  readonly name: string
  readonly before: string
  readonly after: string
}

interface UndoOptions extends ActOptions {
  /** Enter was pressed after the text. */
  readonly hasEntered: boolean
}

/**
 * Restores what the fields held, the last one first. Throws before anything is changed if a field is gone, is another
 * one, or holds something else by now. `fields`: undefined after a reload.
 */
export async function undoFields(
  fields: readonly FilledField[] | undefined,
  { hasEntered, ...options }: UndoOptions,
): Promise<void> {
  if (!fields)
    throw new PageError(
      'stale-ref',
      'What the fields held before is only known until the page is left.',
    )
  if (hasEntered)
    throw new PageError('unsupported', "Enter was pressed, and what that did can't be undone.")
  const held = fields
    .toReversed()
    .map((field) => ({ ...field, element: sameElement(field, options) }))
  for (const { element, before } of held) {
    if (contentOf(element) === before) continue
    await restore(element, before, options)
    if (contentOf(element) !== before)
      throw refusal(element, 'did not take back what it held', options)
  }
}

function sameElement(field: FilledField, options: ActOptions): HTMLElement {
  const element = field.element.deref()
  if (!element || !isElement(element) || !isAttached(element))
    throw new PageError('stale-ref', `The field "${field.name}" is no longer on the page.`)
  const { text } = getAccessibleName(element, getShownRole(element), livePage(options.page).options)
  if (text !== field.name) throw refusal(element, 'is for something else now', options)
  const now = contentOf(element)
  if (now !== field.after && now !== field.before)
    throw refusal(element, 'was changed since, so it keeps what it holds', options)
  return element
}

function refusal(element: Element, why: string, { page }: ActOptions): PageError {
  const live = livePage(page)
  return new PageError('refused-value', scrub(`${describeElement(element, live)} ${why}.`, live))
}

async function restore(target: HTMLElement, before: string, options: ActOptions): Promise<void> {
  const element = (isTag(target, 'label') && target.control) || target
  if (isTag(element, 'select')) return restoreChoices(element, before, options)
  const radios = radiosOf(element)
  const radio = radios[Number(before)]
  if (isElement(radio)) await setChecked(radio, true, options)
  else if (radios.length > 0) throw refusal(element, "can't be unchecked", options)
  else if (/^(true|false)$/.test(before) && !editableIn(element))
    await setChecked(element, before === 'true', options)
  else if (getShownRole(element) !== 'combobox' || editableIn(element) || isPickerField(element))
    await typeText(element, before, options)
  else if (before.trim()) await selectOption(element, before.trim(), options)
  else throw refusal(element, "can't be emptied", options)
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
    if (!isSame || isDisabled(list)) throw refusal(list, "can't be set as it was", options)
    for (const option of list.options) option.selected = choices.has(option.index)
    sendChoice(list)
    return { summary: '', element: list, expectsChange: false }
  })
}
