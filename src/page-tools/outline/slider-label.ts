import { cleanText } from '../clean-text.ts'
import { childrenOf, isElement, parentOf } from '../dom.ts'
import * as native from '../native.ts'
import { isMasked } from '../privacy.ts'
import type { PageOptions } from '../options.ts'
import { isReadable } from './region.ts'

const SLIDERS = 'input[type=range],[role=slider]'
const CONTROLS =
  'button,a[href],input:not([type=hidden]),select,textarea,[role=button],[role=spinbutton],[role=combobox],[role=textbox],[role=switch],[role=checkbox],[role=radio],[role=tab]'
const LEVELS = 5
const LONGEST_LABEL = 60

/**
 * Finds the element that labels a slider without a name, for people: a `label` for it, else words before it, else words
 * after it. Words only count if no other control is in between. HTML gives labels to its own fields only.
 */
export function sliderLabel(slider: Element, options: PageOptions): Element | null {
  const byId = native.id(slider) && labelFor(slider)
  if (byId) return isUsable(byId, options) ? byId : null
  let inner: Element | null = slider
  let after: Element | null = null
  for (let level = 0; inner && level < LEVELS; level += 1) {
    const around: Element | null = parentOf(inner)
    if (!around || holdsOther(around, inner, slider)) break
    const beside = holdersIn(around, inner)
    const before = beside.before.findLast((one) => isUsable(one, options))
    const behind = beside.after.find((one) => isUsable(one, options))
    // Words at both ends, such as "quiet" and "loud", count only if there are no others.
    if (before && !behind) return before
    after ??= before ?? behind ?? null
    inner = around
  }
  return after
}

/** Text of the label without the content of the slider. */
export function sliderLabelText(label: Element, slider: Element): string {
  const isAround = native.contains(label, slider)
  const texts = [...native.childNodes(label)].map((node) =>
    native.nodeType(node) === 3 || !isAround
      ? native.nodeType(node) === 3
        ? native.nodeValue(node)
        : native.textContent(node)
      : '',
  )
  return cleanText(texts.join(' '))
}

function labelFor(slider: Element): Element | null {
  const root = native.getRootNode(slider) as Document | ShadowRoot
  return native.querySelector(root, `label[for="${CSS.escape(native.id(slider))}"]`)
}

function isUsable(label: Element, options: PageOptions): boolean {
  return (
    isReadable(label, options) &&
    !isMasked(label, options) &&
    native.checkVisibility(label, { visibilityProperty: true })
  )
}

/**
 * Whether the part holds another control, to which the words may belong. Another thumb of this slider doesn't count.
 */
function holdsOther(around: Element, inner: Element, slider: Element): boolean {
  if (native.matches(around, 'body,html')) return true
  const others = [...native.querySelectorAll(around, `${CONTROLS},${SLIDERS}`)].filter(
    (one) => one !== slider && !native.contains(slider, one) && !native.contains(inner, one),
  )
  const isThumb = (one: Element): boolean =>
    native.matches(one, SLIDERS) && native.parentElement(one) === native.parentElement(slider)
  return others.some((one) => !isThumb(one))
}

interface Beside {
  readonly before: readonly Element[]
  readonly after: readonly Element[]
}

/** Elements with words of their own in `around`, before and after `inner`. */
function holdersIn(around: Element, inner: Element): Beside {
  const before: Element[] = []
  const after: Element[] = []
  let found = before
  const add = (element: Element): void => {
    for (const node of childrenOf(element)) {
      if (node === inner) found = after
      else if (isElement(node)) add(node)
      else if (isLabel(node)) found.push(element)
    }
  }
  add(around)
  return { before, after }
}

function isLabel(node: Node): boolean {
  const text = native.nodeType(node) === 3 ? cleanText(native.nodeValue(node) ?? '') : ''
  return /\p{L}{2}/u.test(text) && text.length <= LONGEST_LABEL
}
