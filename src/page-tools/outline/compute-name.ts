import { computeAccessibleName } from 'dom-accessibility-api'
import { cleanText } from '../clean-text.ts'
import { isTag, referenced, viewOf } from '../dom.ts'
import { shownAt, type Side } from '../generated-text.ts'
import * as native from '../native.ts'
import { becomesVisible, hiddenUntilHover } from './hover/on-hover.ts'

/** The accessible name as the library computes it, including words of styles. */
export function computeName(element: Element): string {
  const view = viewOf(element)
  try {
    const name = computeAccessibleName(element, {
      computedStyleSupportsPseudoElements: true,
      getComputedStyle: (target, side) =>
        side
          ? contentOf(target, side as Side)
          : shownStyle(target, element, view.getComputedStyle(target)),
    })
    // Fields of a form may hide the properties that the library reads.
    return cleanText(name.replace(GLUED, '') || (isTag(element, 'form') ? labelText(element) : ''))
  } catch {
    // For example when id references cross trees.
    return cleanText(labelText(element) || (native.textContent(element) ?? ''))
  }
}

/** Gives the library the hovered style of an element that is hidden until hover. */
function shownStyle(
  target: Element,
  element: Element,
  style: CSSStyleDeclaration,
): CSSStyleDeclaration {
  const isHidden = (target === element && style.display === 'none') || style.visibility === 'hidden'
  if (!isHidden || !hiddenUntilHover(element) || !becomesVisible(target)) return style
  const shown: Readonly<Record<string, string>> = {
    display: target === element ? 'block' : style.display,
    visibility: 'visible',
  }
  const getPropertyValue = (name: string): string => shown[name] ?? style.getPropertyValue(name)
  return { getPropertyValue } as unknown as CSSStyleDeclaration
}

function labelText(element: Element): string {
  const labels = referenced(element, 'aria-labelledby').map((label) => native.textContent(label))
  return native.getAttribute(element, 'aria-label') ?? labels.join(' ')
}

/** Marks the place between words of a style and the text they join: the library puts a space there. */
const GLUE = '\uFDD0'
const GLUED = /\uFDD0 ?| ?\uFDD1/gu
const GLUE_AFTER = '\uFDD1'

/** Stands in for a style. The library reads only its `content`. */
function contentOf(element: Element, side: Side): CSSStyleDeclaration {
  const shown = shownAt(element, side)
  const before = shown?.isJoined && side === '::after' ? GLUE_AFTER : ''
  const after = shown?.isJoined && side === '::before' ? GLUE : ''
  const content = shown ? `"${before}${shown.text}${after}"` : 'none'
  return { getPropertyValue: () => content } as unknown as CSSStyleDeclaration
}
