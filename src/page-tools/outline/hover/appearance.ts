import { viewOf } from '../../dom.ts'
import type { Visibility } from '../visibility.ts'
import { isActionable } from '../role.ts'
import { mayShowOnHover, type OnHover, shownOnHover } from './on-hover.ts'

/** Visibility of an element, including what a style shows of it on hover. */
export interface Appearance {
  readonly visibility: Visibility
  readonly onHover: OnHover | null
}

/**
 * `around`: how the element's surroundings are hidden until hover. Reads style rules only for hidden elements that hold
 * controls.
 */
export function appearanceOf(
  element: Element,
  visibility: Visibility,
  around: OnHover | null,
): Appearance {
  const isHidden = visibility.excluded || visibility.invisible || visibility.visuallyHidden
  if (!isHidden) return { visibility, onHover: around }
  const mayShow = visibility.excluded
    ? visibility.mayAppear && (around !== null || mayShowOnHover(element))
    : around !== null || mayShowOnHover(element)
  const own = mayShow ? shownOnHover(element) : null
  if (own) return { visibility: asShown(element, visibility), onHover: strongest(around, own) }
  // An element that is hidden in another way, too, stays hidden on hover.
  return around === null || visibility.excluded || visibility.invisible
    ? { visibility, onHover: null }
    : { visibility: { ...visibility, excluded: true, mayAppear: false }, onHover: null }
}

function asShown(element: Element, { fixed, bare, style }: Visibility): Visibility {
  return {
    excluded: false,
    mayAppear: true,
    invisible: false,
    visuallyHidden: true,
    fixed,
    bare,
    style: style ?? viewOf(element).getComputedStyle(element),
  }
}

function strongest(around: OnHover | null, own: OnHover): OnHover {
  return around === 'unrendered' || own === 'unrendered' ? 'unrendered' : (around ?? own)
}

/** Whether nothing of it is drawn before hover. The outline shows its controls then, not its texts. */
export function isUnseenUntilHover(onHover: OnHover | null): boolean {
  return onHover === 'unrendered' || onHover === 'invisible'
}

const PARTS =
  /^(list|listitem|menu|menubar|group|radiogroup|toolbar|tablist|tree|table|row|cell|grid|navigation|dialog|tabpanel|form|search)$/

/**
 * The role of an element hidden until hover: kept for controls and for parts that hold them. Empty: no line of its own.
 */
export function roleUntilHover(role: string, onHover: OnHover | null): string {
  return !isUnseenUntilHover(onHover) || isActionable(role) || PARTS.test(role) ? role : ''
}
