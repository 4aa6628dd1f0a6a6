import { isElement, isTag } from '../dom.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../options.ts'
import { isReadable } from '../outline/region.ts'
import { bestMatch, findOption, isOpen, knownOptions, namesOf } from './option-list.ts'

/** Options with these labels, as far as the page has them before the list is opened. */
export function choicesOf(
  element: Element,
  labels: readonly string[],
  options: PageOptions,
): readonly Element[] {
  const list = isTag(element, 'label') ? (element.control ?? element) : element
  if (!isElement(list)) return []
  return labels.flatMap((label) => choiceOf(list, label, options) ?? [])
}

function choiceOf(list: HTMLElement, label: string, options: PageOptions): Element | undefined {
  if (isTag(list, 'select')) return nativeChoice(list, label)
  const search = { element: list, options, before: new Set<Element>() }
  const shown = isOpen(list) ? findOption(search, label) : undefined
  if (shown) return shown
  const known = knownOptions(list).filter((one) => isReadable(one, options))
  return bestMatch(known, label, (one) => [...namesOf(one, search), native.textContent(one)])
}

/** Finds an option of a native select by its label, else by its value. */
export function nativeChoice(
  select: HTMLSelectElement,
  label: string,
): HTMLOptionElement | undefined {
  const options = [...select.options]
  return (
    bestMatch(options, label, (option) => [option.label]) ??
    options.find(({ value }) => value === label)
  )
}

/** Whether an element is the option that one of the labels names. */
export function isNamedBy(
  element: Element,
  labels: readonly string[],
  options: PageOptions,
): boolean {
  if (!isElement(element)) return false
  const search = { element, options, before: new Set<Element>() }
  return labels.some((label) => bestMatch([element], label, (one) => namesOf(one, search)))
}
