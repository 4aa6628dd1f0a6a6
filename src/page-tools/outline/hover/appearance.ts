import { viewOf } from '../../dom.ts'
import type { Visibility } from '../visibility.ts'
import { isActionable } from '../role.ts'
import { mayShowOnHover, type OnHover, shownOnHover } from './on-hover.ts'

/** What is visible of an element, with what a style shows of it on hover. */
export interface Appearance {
  readonly visibility: Visibility
  readonly onHover: OnHover | null
}

/** `around`: how what it is in is hidden until hover. Reads the rules of styles for what is hidden and holds controls only. */
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
  // What is hidden in another way, too, is seen by nobody.
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

/** Whether nothing of it is on the screen, but for what can be clicked: texts there are nobody's words yet. */
export function isUnseenUntilHover(onHover: OnHover | null): boolean {
  return onHover === 'unrendered' || onHover === 'invisible'
}

const PARTS =
  /^(list|listitem|menu|menubar|group|radiogroup|toolbar|tablist|tree|table|row|cell|grid|navigation|dialog|tabpanel|form|search)$/

/** The roles that what is hidden until hover has a line for: controls, and what they are in. */
export function roleUntilHover(role: string, onHover: OnHover | null): string {
  return !isUnseenUntilHover(onHover) || isActionable(role) || PARTS.test(role) ? role : ''
}
