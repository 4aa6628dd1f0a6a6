import { ancestorsOf, isTag, parentOf, viewOf } from '../../dom.ts'
import * as native from '../../native.ts'
import { hides, type HidingProperty, hoverStyles, type HoverStyles } from './cascade.ts'
import type { Tree } from './style-rules.ts'
import type { Visibility } from '../visibility.ts'
import { isActionable } from '../role.ts'

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

/**
 * How a style hides an element that it shows while the pointer, or the focus, is in its surroundings. The element isn't
 * rendered, is rendered but not painted, or can't be seen by anybody.
 */
export type OnHover = 'unrendered' | 'invisible' | 'unseen'

const CONTROLS =
  'a[href],button,input:not([type=hidden]),select,textarea,summary,[role],[tabindex],[onclick]'
/** Elements that the markup hides: they stay hidden on hover. */
const EXCLUDED = '[aria-hidden="true"],[inert],[hidden=until-found],[data-offstage-ignore]'

/** Whether the outline may show a hidden part on hover: it holds a control, and a rule may show it. */
function mayShowOnHover(part: Element): boolean {
  const { mayShow } = stylesOf(part)
  return (
    mayShow !== null &&
    native.matches(part, mayShow) &&
    (native.matches(part, CONTROLS) || native.querySelector(part, CONTROLS) !== null)
  )
}

/** How the element's own style hides it until hover. Null: it is visible, or stays hidden. */
function shownOnHover(element: Element): OnHover | null {
  const hiding = hidingOf(element)
  if (hiding.length === 0 || !hiding.every((one) => isLifted(element, one))) return null
  if (hiding.includes('display')) return 'unrendered'
  return hiding.includes('visibility') ? 'invisible' : 'unseen'
}

/**
 * How the element or its surroundings are hidden until hover: the strongest way counts. Null: all are visible, or some
 * stay hidden.
 */
export function hiddenUntilHover(element: Element): OnHover | null {
  let found: OnHover | null = null
  for (const at of [element, ...ancestorsOf(element)]) {
    if (native.matches(at, EXCLUDED)) return null
    const hiding = hidingOf(at)
    if (hiding.length === 0) continue
    const how = shownOnHover(at)
    if (!how) return null
    found = found === 'unrendered' || how === 'unrendered' ? 'unrendered' : (found ?? how)
  }
  return found
}

/** Whether an element becomes visible once a style shows its surroundings on hover. */
export function becomesVisible(element: Element): boolean {
  const { visibility } = viewOf(element).getComputedStyle(element)
  if (!hides('visibility', visibility)) return true
  const winner = stylesOf(element).winnerOf(element, 'visibility')
  if (winner && winner.value !== 'inherit')
    return winner.isOnHover && !hides('visibility', winner.value)
  const around = parentOf(element)
  return around !== null && becomesVisible(around)
}

/** Whether styles may show something in or beside an element on hover. True as well if some rules can't be read. */
export function mayDependOnHover(element: Element): boolean {
  const { mayShow, isWhole } = stylesOf(element)
  if (!isWhole) return true
  const parent = native.parentElement(element)
  const around = parent && !isTag(parent, 'body') ? parent : element
  return (
    mayShow !== null &&
    [element, ...native.querySelectorAll(around, mayShow)].some(
      (one) => native.matches(one, mayShow) && hidingOf(one).length > 0,
    )
  )
}

const LIMITED = new Set<HidingProperty>(['height', 'width'])

function isLifted(element: Element, property: HidingProperty): boolean {
  if (property === 'visibility') return becomesVisible(element)
  const { mayShow, winnerOf } = stylesOf(element)
  if (mayShow === null || !native.matches(element, mayShow)) return false
  const winner = winnerOf(element, property)
  // A size that only a limit reduces to nothing is set by no rule: check the limit.
  if (!winner)
    return LIMITED.has(property) && isLifted(element, `max-${property}` as HidingProperty)
  return winner.isOnHover && !hides(property, winner.value)
}

/** The properties by which an element's own style hides it. */
function hidingOf(element: Element): readonly HidingProperty[] {
  const style = viewOf(element).getComputedStyle(element)
  const found: HidingProperty[] = []
  const add = (...properties: HidingProperty[]): void => {
    for (const one of properties) if (hides(one, style.getPropertyValue(one))) found.push(one)
  }
  add('display', 'visibility', 'opacity')
  if (/^(absolute|fixed)$/.test(style.position)) add('clip', 'left', 'top', 'right')
  if (style.clipPath !== 'none') add('clip-path')
  // A frame and the page itself are as large as their window.
  if (style.overflow !== 'visible' && !isTag(element, 'body') && !isTag(element, 'html'))
    add('height', 'max-height', 'width', 'max-width')
  return found
}

/** Styles of the element's document or shadow root. A detached element has none. */
function stylesOf(element: Element): HoverStyles {
  const root = native.getRootNode(element)
  return native.nodeType(root) === 1 ? NO_STYLES : hoverStyles(root as Tree)
}

const NO_STYLES: HoverStyles = { mayShow: null, isWhole: true, winnerOf: () => null }
