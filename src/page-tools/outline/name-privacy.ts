import { cleanText } from '../clean-text.ts'
import { childrenOf, isElement, referenced } from '../dom.ts'
import { drawnText } from '../generated-text.ts'
import { labelsOf } from '../labels.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../options.ts'
import { isInMaskedPart, isMasked, isSecretPart, maskSelector } from '../privacy.ts'
import { isExcluded, isReadable } from './region.ts'
import { isNamedByContent } from './role.ts'

// What a name must not say: it is made of parts of the page of which some are masked, or may not be read.

/** Why a name can't be told as it is. */
export type Kept = 'masked' | 'unreadable' | null

/** Subtrees and submenus, which are no part of an item's name. */
export const BRANCH = '[role=group],[role=menu],[role=tree],[role=treeitem]'
/** By an attribute that takes precedence over its content. */
const NAMED = '[aria-label]:not([aria-label=""]),[aria-labelledby]'
const CELLS = /^(row|cell|gridcell|columnheader|rowheader)$/
/** What names a fieldset, a table or a drawing that it stands in. */
const CAPTION = ':scope>:is(legend,caption,title)'
const CAPTIONED = /^(fieldset|table|svg)$/

/** Whether what the name is made of holds something private, wherever that comes from. */
export function keptIn(element: Element, role: string, options: PageOptions): Kept {
  const search = new Search(element, options)
  for (const one of [...labelsFor(element), captionOf(element)]) if (one) search.addWhole(one)
  const isNamed = native.matches(element, NAMED)
  const isCell = CELLS.test(role) && !isNamed
  if (isNamedByContent(role) || isCell) {
    const isItem = /^(treeitem|menuitem)/.test(role) && !isNamed
    search.addContent(element, isItem ? BRANCH : '', isNamed)
  }
  return search.found
}

/** The same of one part that lends its words, without what is around it. */
function isPrivate(part: Element, options: PageOptions): boolean {
  return isExcluded(part, options) || isMaskedHere(part, options)
}

/** Its words without those that are private. `isOwnOnly`: without those of elements in it. */
export function readableWords(part: Element, options: PageOptions, isOwnOnly = false): string {
  return drawnText(part, (one) => (isOwnOnly && one !== part) || isPrivate(one, options))
}

/** Whether something names it that is not masked itself; its own attributes are. */
export function isNamedOutside(element: Element, options: PageOptions): boolean {
  const labels = labelsFor(element)
  return (
    labels.length > 0 &&
    !native.hasAttribute(element, 'aria-label') &&
    labels.every((label) => !isInMaskedPart(label, options))
  )
}

/** The name by what may be read of it: its own attribute, else its content without what is private. */
export function readableName(element: Element, options: PageOptions): string {
  for (const name of ['aria-label', 'alt', 'placeholder', 'title']) {
    const own = cleanText(native.getAttribute(element, name) ?? '')
    if (own) return own
  }
  return holdersOf(element, options)
    .map((one) => readableWords(one, options))
    .join(' ')
}

/** Of what is masked, or whose labels hold that: what the labels say without it. */
export function textAroundMasked(element: Element, options: PageOptions): string {
  const labels = native.hasAttribute(element, 'aria-labelledby')
    ? referenced(element, 'aria-labelledby')
    : labelsOf(element)
  const isOther = native.hasAttribute(element, 'aria-label')
  if (isOther || labels.some((label) => isMasked(label, options) || !isReadable(label, options)))
    return ''
  return cleanText(labels.map((one) => readableWords(one, options)).join(' '))
}

function holdersOf(element: Element, options: PageOptions): readonly Element[] {
  const labels = labelsOf(element).filter((label) => isReadable(label, options))
  if (labels.length > 0) return labels
  const isField = /^(input|select|textarea|fieldset|table)$/.test(native.localName(element))
  return [captionOf(element) ?? (isField ? [] : element)].flat()
}

function captionOf(element: Element): Element | null {
  return CAPTIONED.test(native.localName(element)) ? native.querySelector(element, CAPTION) : null
}

function labelsFor(element: Element): readonly Element[] {
  return [...labelsOf(element), ...referenced(element, 'aria-labelledby')]
}

function isMaskedHere(element: Element, options: PageOptions): boolean {
  return isSecretPart(element) || native.matches(element, maskSelector(options))
}

/** Looks through what lends its words to a name: through slots, shadow roots, frames and what is referred to. */
class Search {
  found: Kept = null
  readonly #named: Element
  readonly #options: PageOptions
  readonly #seen = new Set<Element>()

  constructor(named: Element, options: PageOptions) {
    this.#named = named
    this.#options = options
  }

  /** A part that stands elsewhere: what is around it counts, too. */
  addWhole(part: Element): void {
    if (isMasked(part, this.#options)) this.found = 'masked'
    else if (!isReadable(part, this.#options)) this.found ??= 'unreadable'
    this.addContent(part)
  }

  /** `without`: a selector of what isn't looked through. `isMaskedOnly`: its attribute says the rest. */
  addContent(part: Element, without = '', isMaskedOnly = false): void {
    const before = this.found
    if (part === this.#named && isSecretPart(part)) this.found = 'masked'
    const stack: Element[] = [part]
    for (let at = stack.pop(); at && this.found !== 'masked'; at = stack.pop()) {
      if (this.#seen.has(at)) continue
      this.#seen.add(at)
      for (const child of insideOf(at)) {
        if (child === this.#named || (without && native.matches(child, without))) continue
        this.#look(child)
        stack.push(child)
      }
    }
    if (isMaskedOnly && this.found === 'unreadable') this.found = before
  }

  #look(one: Element): void {
    if (isMaskedHere(one, this.#options)) this.found = 'masked'
    else if (isExcluded(one, this.#options)) this.found ??= 'unreadable'
    if (!native.hasAttributes(one)) return
    for (const other of [...labelsFor(one), ...referenced(one, 'aria-owns')])
      if (!this.#seen.has(other)) this.addWhole(other)
  }
}

/** Of a component, also what none of its slots shows: a name may be made of it. */
function insideOf(element: Element): readonly Element[] {
  const found = [...native.children(element)]
  const isPlain =
    !native.shadowRoot(element) && !/^(slot|iframe|frame)$/.test(native.localName(element))
  return isPlain ? found : [...found, ...childrenOf(element).filter(isElement)]
}
