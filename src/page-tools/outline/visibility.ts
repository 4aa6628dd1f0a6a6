import { isAttached, isDisplayed, isTag } from '../dom.ts'
import { renderedElement } from '../image-map.ts'

/** How an element looks, as far as its own style says. */
export interface Visibility {
  /** Nothing of it or in it is there for anyone. */
  readonly excluded: boolean
  /** It is style alone that hides it. */
  readonly mayAppear: boolean
  /** It takes up no room by itself, but what is inside may show. */
  readonly invisible: boolean
  /** Its text reaches assistive technology but no eye. */
  readonly visuallyHidden: boolean
  /** Stays where it is when its surroundings scroll. */
  readonly fixed: boolean
  /** For the rest: each property that is read costs, so it is read where it matters. */
  readonly style: CSSStyleDeclaration | null
}

const NEVER_RENDERED = new Set(
  'script,style,template,noscript,head,meta,link,title,base,param,source,track,datalist,object,embed'.split(
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
  style: null,
}

/** Answered at once by browsers; styles are asked only for what is not plainly there. */
const FULLY_VISIBLE: CheckVisibilityOptions = { visibilityProperty: true, opacityProperty: true }

/** Reads styles, so it must not be mixed with writes. */
export function visibilityOf(element: Element, view: Window): Visibility {
  const tag = element.localName
  if (NEVER_RENDERED.has(tag) || tag.startsWith('offstage-')) return EXCLUDED
  const bare = !element.hasAttributes()
  if (!bare && isExcludedByMarkup(element)) return EXCLUDED
  const style = view.getComputedStyle(element)
  const plain = element.checkVisibility(FULLY_VISIBLE)
  if (!plain && (style.display === 'none' || isUntilFound(element, style)))
    return { ...EXCLUDED, mayAppear: true }
  const invisible = !plain && style.visibility !== 'visible'
  const transparent = !plain && style.opacity === '0'
  // Half of a page are elements without attributes: of these only what holds text is pinned or moved away.
  if (bare && !holdsText(element))
    return {
      excluded: false,
      mayAppear: true,
      invisible,
      visuallyHidden: transparent,
      fixed: false,
      style,
    }
  const { position } = style
  return {
    excluded: false,
    mayAppear: true,
    invisible,
    visuallyHidden: transparent || isVisuallyHidden(element, style, position),
    fixed: position === 'fixed',
    style,
  }
}

/** The mouse pointer becomes a hand over it. */
export function hasPointerCursor({ style }: Visibility): boolean {
  return style?.cursor === 'pointer'
}

/** What is in it shows only as far as it does itself. */
export function clipsContent({ style }: Visibility): boolean {
  return style !== null && style.overflowY !== 'visible'
}

/** Left out by what the author says rather than by style. */
function isExcludedByMarkup(element: Element): boolean {
  return (
    element.getAttribute('aria-hidden') === 'true' ||
    element.hasAttribute('inert') ||
    element.hasAttribute(IGNORED)
  )
}

function holdsText({ firstChild }: Element): boolean {
  return firstChild?.nodeType === 3
}

/** `hidden="until-found"`. Read for such elements only: each property of a style costs. */
function isUntilFound(element: Element, style: CSSStyleDeclaration): boolean {
  return element.hasAttribute('hidden') && style.contentVisibility === 'hidden'
}

/** The usual ways of hiding text from eyes only, beside transparency: clipped, without size, far outside. */
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

/** Whether a person could see it now, wherever it is scrolled to. Why not, in a few words. */
export function hiddenReason(element: Element): string | null {
  if (!isAttached(element)) return 'it is no longer on the page'
  const inert = element.closest('[inert]')
  if (inert) return 'it is inert'
  if (isTag(element, 'option')) return null
  const drawn = renderedElement(element)
  if (!isDisplayed(drawn)) {
    const details = element.closest('details:not([open])')
    return details ? 'it is in a closed disclosure' : 'it is not displayed'
  }
  if (!isDisplayed(drawn, { visibilityProperty: true })) return 'its visibility is hidden'
  return null
}
