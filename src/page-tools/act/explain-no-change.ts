import { isElement, isTag, parentOf, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import type { LivePage } from '../outline/live-page.ts'
import { reactsItself } from '../outline/own-reaction.ts'
import { pointerSelector } from '../outline/pointer-rules.ts'
import { isActionable, roleOf } from '../outline/role.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { isReadable } from '../outline/region.ts'
import { describeElement } from './describe.ts'

const CANDIDATES = 3

/**
 * Why an action may have changed nothing that can be read, and what to try. `documentChanged`: there were
 * mutations of the document.
 */
export function explainNoChange(
  live: LivePage,
  element: Element | undefined,
  documentChanged: boolean,
): string {
  if (!element) return 'Nothing changed.'
  if (!native.isConnected(element)) return 'Nothing visible changed, but the element was replaced.'
  const known = likelyReason(element)
  const found =
    known === null && isWrapper(element, live)
      ? `${documentChanged ? STYLE_CHANGED : 'Nothing changed'}. It holds controls, one of which may be meant.`
      : known === null && documentChanged
        ? `${STYLE_CHANGED}: it may have worked.`
        : `Nothing changed. ${known ?? guess(element)}`
  const others = candidatesNear(element, live).map((other) => `\n- ${describeElement(other, live)}`)
  const advice = others.length > 0 ? ` Try:${others.join('')}` : ''
  return `${found}${advice}`
}

const STYLE_CHANGED = 'Nothing that can be read changed, only the look of something'

/** What has controls in it is seldom what was meant. */
function isWrapper(element: Element, { options }: LivePage): boolean {
  return (
    !isActionable(roleOf(element)) &&
    controlsIn(element).some((one) => isReadable(one, options) && hiddenReason(one) === null)
  )
}

function guess(element: Element): string {
  const isCustom = native.localName(element).includes('-')
  return isActionable(roleOf(element)) ||
    isCustom ||
    viewOf(element).getComputedStyle(element).cursor === 'pointer'
    ? 'It may need another action first, or have worked without a visible trace.'
    : 'This element is not a control, and may react to nothing.'
}

function likelyReason(element: Element): string | null {
  if (isTag(element, 'select')) return 'A list of choices opens only for people: use select_option.'
  if (isTag(element, 'input') && /^(date|time|month|week|datetime-local|color)$/.test(element.type))
    return 'Its picker opens only for people: use type_text.'
  if (isTag(element, 'a') && element.target === '_blank')
    return 'The link opens another tab, which may have been blocked.'
  return null
}

/** Controls in, around and beside the element, the nearest first. */
function candidatesNear(element: Element, live: LivePage): Element[] {
  const near = new Set<Element>(controlsIn(element))
  let at = parentOf(element)
  for (let level = 0; at && level < 3 && near.size < CANDIDATES; level += 1, at = parentOf(at)) {
    if (isActionable(roleOf(at))) near.add(at)
    for (const control of controlsBeside(element, at)) near.add(control)
  }
  near.delete(element)
  return [...near]
    .filter((one) => isReadable(one, live.options) && hiddenReason(one) === null)
    .slice(0, CANDIDATES)
}

const CONTROLS = 'button,a[href],input,select,textarea,[role],[tabindex],[onclick]'
const ENOUGH = 15

function controlsIn(element: Element): Element[] {
  const clickable = pointerSelector(native.getRootNode(element))
  const found = native.querySelectorAll(element, `${CONTROLS},${clickable}`)
  return onlyControls([...found].slice(0, ENOUGH * 2))
}

/** The controls after the element in reading order, then those before it. */
function controlsBeside(element: Element, around: Element): Element[] {
  const all = [...native.querySelectorAll(around, CONTROLS)]
  const first = all.findIndex(
    (one) => native.compareDocumentPosition(element, one) & Node.DOCUMENT_POSITION_FOLLOWING,
  )
  const start = first < 0 ? all.length : first
  return [
    ...onlyControls(all.slice(start, start + ENOUGH)).slice(0, 2),
    ...onlyControls(all.slice(Math.max(0, start - ENOUGH), start)).toReversed(),
  ]
}

function onlyControls(found: readonly Element[]): Element[] {
  return found.filter((one) => isElement(one) && (isActionable(roleOf(one)) || reactsItself(one)))
}
