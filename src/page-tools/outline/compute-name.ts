import { computeAccessibleName } from 'dom-accessibility-api'
import { cleanText } from '../clean-text.ts'
import { isTag, referenced, viewOf } from '../dom.ts'
import { shownAt, type Side } from '../generated-text.ts'
import * as native from '../native.ts'
import { becomesVisible, hiddenUntilHover } from './hover/on-hover.ts'

/** The accessible name as the library computes it, with the words of styles. */
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
    // A form's fields may hide from the library what it reads.
    return cleanText(name.replace(GLUED, '') || (isTag(element, 'form') ? labelText(element) : ''))
  } catch {
    // For example when id references cross trees.
    return cleanText(labelText(element) || (native.textContent(element) ?? ''))
  }
}

/** Of what is hidden until hover, the library is given the style that it has then. */
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

/** Between words of a style and a text to which they are joined, where the library has a space. */
const GLUE = '\uFDD0'
const GLUED = /\uFDD0 ?| ?\uFDD1/gu
const GLUE_AFTER = '\uFDD1'

/** A style of which the library reads the `content` only. */
function contentOf(element: Element, side: Side): CSSStyleDeclaration {
  const shown = shownAt(element, side)
  const before = shown?.isJoined && side === '::after' ? GLUE_AFTER : ''
  const after = shown?.isJoined && side === '::before' ? GLUE : ''
  const content = shown ? `"${before}${shown.text}${after}"` : 'none'
  return { getPropertyValue: () => content } as unknown as CSSStyleDeclaration
}
