import {
  ancestorsOf,
  closest,
  contains,
  isAttached,
  isDisplayed,
  isTag,
  isText,
  getParent,
  renderedElement,
  viewOf,
} from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'

const MODAL = 'dialog,[role=dialog],[role=alertdialog],[role=menu],[role=listbox],[aria-modal=true]'
const UNREACHABLE = '[aria-hidden="true"],[inert]'

export function isUnreachable(element: Element): boolean {
  return closest(element, UNREACHABLE) !== null
}

/** The last open dialog, menu or list, which may make the rest of the page unreachable. */
export function ariaModal(document: Document): Element | null {
  const openElements = [...native.querySelectorAll(document, MODAL)].filter(
    (candidate) => isDisplayed(candidate) && !isUnreachable(candidate),
  )
  return openElements.at(-1) ?? null
}

/** The visibility of an element by its own attributes and style. */
export interface Visibility {
  /** Neither the element nor its content is visible to anyone. */
  readonly excluded: boolean
  /** Only its style hides it, so it may become visible. */
  readonly mayAppear: boolean
  /** The element itself is not rendered, but its content may be. */
  readonly invisible: boolean
  /** The text is available to assistive technology, but not on the screen. */
  readonly visuallyHidden: boolean
  /** Keeps its position when its ancestors scroll. */
  readonly fixed: boolean
  /** The element has no attributes, like half of a page's elements. Checks of attributes are skipped. */
  readonly hasNoAttributes: boolean
  /** Style for other properties. Each property costs time to read, so read it only where it matters. */
  readonly style: CSSStyleDeclaration | null
}

const NEVER_RENDERED = new Set(
  'script,style,template,noscript,head,meta,link,title,base,param,source,track,datalist,object,embed,defs,symbol,clipPath,mask,marker,linearGradient,radialGradient,desc,metadata'.split(
    ',',
  ),
)
const IGNORED = 'data-offstage-ignore'

const EXCLUDED: Visibility = {
  excluded: true,
  mayAppear: false,
  invisible: true,
  visuallyHidden: true,
  fixed: false,
  hasNoAttributes: false,
  style: null,
}
const MAY_APPEAR: Visibility = { ...EXCLUDED, mayAppear: true }

/** Reads styles, so it must not be mixed with writes to the DOM. */
export function visibilityOf(element: Element, view: Window): Visibility {
  const tag = native.localName(element)
  if (NEVER_RENDERED.has(tag) || tag.startsWith('offstage-')) return EXCLUDED
  const hasNoAttributes = !native.hasAttributes(element)
  if (!hasNoAttributes && isExcludedByMarkup(element)) return EXCLUDED
  // Avoids `checkVisibility()`, which takes as long as this style object that most elements need.
  const style = view.getComputedStyle(element)
  if (style.display === 'none' || (!hasNoAttributes && isOutOfReach(element, style)))
    return MAY_APPEAR
  // Half of a page's elements have no attributes. Among these, only elements with text can be fixed or moved away.
  const position = hasNoAttributes && !holdsText(element) ? 'static' : style.position
  return {
    excluded: false,
    mayAppear: true,
    invisible: style.visibility !== 'visible',
    visuallyHidden: style.opacity === '0' || isVisuallyHidden(element, style, position),
    fixed: position === 'fixed',
    hasNoAttributes,
    style,
  }
}

/** Whether the mouse pointer over the element is a hand. */
export function hasPointerCursor({ style }: Visibility): boolean {
  return style?.cursor === 'pointer'
}

/** Mouse pointers over things to drag: cards, thumbs, the edges of panes. */
const DRAG_CURSORS = /^(?:grab|move|[a-z]+-resize)$/
/** Skipped, because a table would get a line for the edge of each column. */
const HEADERS = 'th,[role=columnheader]'

/** Whether the element's own style, not an inherited one, gives it a mouse pointer for dragging. */
export function hasDragCursor(element: Element, style: CSSStyleDeclaration | null): boolean {
  if (!style || style.cursor === 'auto' || !DRAG_CURSORS.test(style.cursor)) return false
  if (closest(element, HEADERS)) return false
  const parent = getParent(element)
  return !parent || getComputedStyle(parent).cursor !== style.cursor
}

/** Whether the element's content is visible only inside its box. */
export function clipsContent({ style }: Visibility): boolean {
  return style !== null && style.overflowY !== 'visible'
}

/** Whether the markup, not the style, excludes the element. */
function isExcludedByMarkup(element: Element): boolean {
  return (
    native.hasAttribute(element, 'inert') ||
    native.hasAttribute(element, IGNORED) ||
    (isAriaHidden(element) && findVisibleButtons(element).length === 0)
  )
}

export function isAriaHidden(element: Element): boolean {
  return native.getAttribute(element, 'aria-hidden') === 'true'
}

export function isButton(element: Element): boolean {
  return native.matches(element, BUTTONS)
}

const BUTTONS = 'button,input[type=button],input[type=submit],[role=button]'

/**
 * The buttons in an `aria-hidden` part, or the part itself, that a person sees and can click. None while a dialog, menu
 * or list is open, which hides the page in this way.
 */
export function findVisibleButtons(part: Element): readonly Element[] {
  const buttons = isButton(part) ? [part] : [...native.querySelectorAll(part, BUTTONS)]
  return buttons.length > 0 && ariaModal(native.ownerDocument(part)) === null
    ? buttons.filter(receivesPointer)
    : []
}

/** Whether the pointer reaches the element's middle, or would after scrolling up or down. */
function receivesPointer(element: Element): boolean {
  const { left, top, width, height } = native.getBoundingClientRect(element)
  const x = left + width / 2
  const root = native.getRootNode(element) as Document | ShadowRoot
  const hit = nativeDocument.elementFromPoint(root, x, top + height / 2)
  const isReached = hit
    ? contains(element, hit)
    : x > 0 && x < viewOf(element).innerWidth && ![...ancestorsOf(element)].some(isFolded)
  return isReached && Math.min(width, height) >= SMALLEST_PX
}

function isFolded(element: Element): boolean {
  return (
    getComputedStyle(element).overflowY !== 'visible' &&
    native.getBoundingClientRect(element).height < SMALLEST_PX
  )
}

const SMALLEST_PX = 8

function holdsText(element: Element): boolean {
  return isText(native.firstChild(element))
}

/**
 * Whether nobody can use the element: `interactivity: inert`, or content that is neither drawn nor exposed to assistive
 * technology, as in a closed disclosure or with `hidden="until-found"`. Reading this style is slow, so it is read only
 * for elements with content or the attribute.
 */
export function isOutOfReach(element: Element, style: CSSStyleDeclaration): boolean {
  if (style.getPropertyValue('interactivity') === 'inert') return true
  return (
    (native.firstElementChild(element) !== null || native.hasAttribute(element, 'hidden')) &&
    style.contentVisibility === 'hidden' &&
    !/^(inline|contents)$/.test(style.display)
  )
}

/** Whether text is hidden visually in a usual way other than transparency: clipped, without size, far outside. */
function isVisuallyHidden(element: Element, style: CSSStyleDeclaration, position: string): boolean {
  if (holdsText(element) && style.fontSize === '0px') return true
  if (position !== 'absolute' && position !== 'fixed') return false
  return (
    /^rect\((0|1)(px)?,? (0|1)(px)?,? (0|1)(px)?,? (0|1)(px)?\)$/.test(style.clip) ||
    /^inset\((50|100)%/.test(style.clipPath) ||
    (style.overflow !== 'visible' && Number.parseFloat(style.width) <= 1) ||
    (style.overflow !== 'visible' && Number.parseFloat(style.height) <= 1) ||
    Number.parseFloat(style.left) < -999 ||
    Number.parseFloat(style.top) < -999 ||
    Number.parseFloat(style.textIndent) < -999
  )
}

/** Why an element can't be seen at any scroll position, in a few words. Null if it can. */
export function hiddenReason(element: Element): string | null {
  if (!isAttached(element)) return 'it is no longer on the page'
  const inert = native.closest(element, '[inert]')
  if (inert) return 'it is inert'
  if (isTag(element, 'option')) return null
  const rendered = renderedElement(element)
  if (!isDisplayed(rendered)) {
    const details = native.closest(element, 'details:not([open])')
    return details ? 'it is in a closed disclosure' : 'it is not displayed'
  }
  if (!isDisplayed(rendered, { visibilityProperty: true })) return 'its visibility is hidden'
  return null
}
