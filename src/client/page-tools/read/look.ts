import { isAttached, isTag } from '../dom.ts'

/** How an element looks, as far as its own style says. */
export interface Look {
  /** Nothing of it or in it is there for anyone. */
  readonly gone: boolean
  /** It is style alone that hides it. */
  readonly mayShow: boolean
  /** It takes up no room by itself, but what is inside may show. */
  readonly invisible: boolean
  /** Its text reaches assistive technology but no eye. */
  readonly unseen: boolean
  /** The mouse pointer becomes a hand over it. */
  readonly hand: boolean
  /** What is in it shows only as far as it does itself. */
  readonly clips: boolean
  /** Stays where it is when its surroundings scroll. */
  readonly fixed: boolean
}

const NEVER = new Set(
  'script,style,template,noscript,head,meta,link,title,base,param,source,track,datalist,object,embed'.split(
    ',',
  ),
)
const IGNORED = 'data-offstage-ignore'

const GONE: Look = {
  gone: true,
  mayShow: false,
  invisible: true,
  unseen: true,
  hand: false,
  clips: false,
  fixed: false,
}

/** Reads styles, so it must not be mixed with writes. */
export function lookOf(element: Element, view: Window): Look {
  if (NEVER.has(element.localName) || isSetAside(element)) return GONE
  const style = view.getComputedStyle(element)
  if (style.display === 'none' || isUntilFound(element, style)) return { ...GONE, mayShow: true }
  return {
    gone: false,
    mayShow: true,
    invisible: style.visibility !== 'visible',
    unseen: isUnseen(style, element),
    hand: style.cursor === 'pointer',
    clips: style.overflowY !== 'visible',
    fixed: style.position === 'fixed',
  }
}

/** Left out by what the author says rather than by style. */
function isSetAside(element: Element): boolean {
  return (
    element.getAttribute('aria-hidden') === 'true' ||
    element.hasAttribute('inert') ||
    element.hasAttribute(IGNORED) ||
    element.localName.startsWith('offstage-')
  )
}

/** `hidden="until-found"`. Read for such elements only: each property of a style costs. */
function isUntilFound(element: Element, style: CSSStyleDeclaration): boolean {
  return element.hasAttribute('hidden') && style.contentVisibility === 'hidden'
}

/** The usual ways of hiding text from eyes only: clipped, transparent, without size, far outside. */
function isUnseen(style: CSSStyleDeclaration, element: Element): boolean {
  if (style.opacity === '0') return true
  if (element.firstChild?.nodeType === 3 && style.fontSize === '0px') return true
  if (style.position !== 'absolute' && style.position !== 'fixed') return false
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
export function whyInvisible(element: Element): string | null {
  if (!isAttached(element)) return 'it is no longer on the page'
  const inert = element.closest('[inert]')
  if (inert) return 'it is inert'
  if (isTag(element, 'option')) return null
  if (!element.checkVisibility()) {
    const details = element.closest('details:not([open])')
    return details ? 'it is in a closed disclosure' : 'it is not displayed'
  }
  if (!element.checkVisibility({ visibilityProperty: true })) return 'its visibility is hidden'
  return null
}
