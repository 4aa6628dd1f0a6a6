import { cleanText, cut, normalize } from '../clean-text.ts'
import { isElement, isTag, labelsOf, referenced } from '../dom.ts'
import { drawnText, mayWriteWords } from '../generated-text.ts'
import * as native from '../native.ts'
import { once } from '../../lib/once.ts'
import { isActionable, isNamedByContent } from '../outline/role.ts'
import { sliderLabel, sliderLabelText } from '../outline/name.ts'
import type { PageOptions } from '../options.ts'
import { isReadable } from '../outline/region.ts'
import { hintWords } from '../secrets/secret-matcher.ts'
import { withoutTokens } from '../secrets/token-patterns.ts'

// Hints at a control that its author gave no name: the name of its icon, the address it leads to, its id.

/** An icon is made of few elements. */
const PARTS = 12
const LIMIT = 40
/** `fa-trash`, `lucide-x`, `icon-close`: the icon's name. */
const ICON =
  /^(?:fa|fas|bi|mdi|ti|ri|la|pi|icons?|ico|lucide|feather|glyphicon|codicon|octicon|anticon|el-icon|ph|tabler-icon)[-_](.+)$/
/** `trash-icon`, `TrashIcon`. */
const OF_ICON = /^(.{2,}?)[-_]?icon$/i
/** Words for the look of an icon. */
const LOOK =
  /^(?:\d.*|fw|lg|sm|xs|xl|md|solid|regular|light|thin|duotone|brands|spin|pulse|inverse|small|large|medium|button|btn|svg|only|wrapper|container)$/
/** Words that say nothing about a control. */
const PLAIN =
  /^(?:btn|button|icon|icons|svg|img|link|item|wrapper|container|root|inner|clickable|active|small|large|primary|secondary|default|ghost|flat|rounded|circle|input|field|form-control)$/i

/** Classes of libraries, which all of their controls have. */
const OF_LIBRARY =
  /^(?:Mui|css-|sc-|jss|makeStyles-|ant-|anticon$|v-|el-|mat-|mdc-|cdk-|ng-|chakra-|mantine-|p-|ion-|q-|n-|k-|arco-|van-|slds-|cds-|bx-|pf-|fui-|ms-|rs-|svelte-|data-v-)/
/** Classes for layout or paint only, as in Tailwind and Bootstrap: `inline-flex`, `items-center`. */
const LAYOUT =
  /^(?:inline|(?:inline-)?(?:flex|grid|block)|contents|container|hidden|(?:in)?visible|isolate|relative|absolute|fixed|sticky|static|border|rounded|shadow|ring|outline|transition|transform|group|peer|grow|shrink|truncate|antialiased|row|col|pointer-events-none|select-none|appearance-none|no-underline|(?:not-)?sr-only|(?:flex|grid|d|position|items|justify|content|self|place|gap|space|[mp][trblxyse]?|[whz]|min|max|size|text|font|leading|tracking|bg|border|rounded|shadow|ring|outline|opacity|transition|ease|animate|origin|cursor|overflow|object|inset|float|whitespace|break|fill|stroke|aspect)(?:-(?:flex|grid|block|inline|center|start|end|between|around|evenly|stretch|baseline|middle|top|bottom|left|right|relative|absolute|fixed|auto|full|screen|fit|min|max|none|hidden|visible|scroll|xs|sm|md|lg|xl|thin|light|normal|medium|semibold|bold|mono|sans|serif|tight|snug|wide|loose|pointer|default|primary|secondary|muted|accent|destructive|foreground|background|white|black|transparent|current|inherit|col|row|wrap|nowrap|reverse|colors|all|opacity|shadow|transform|in|out|offset|inset|input|border|cover|contain|words|w|h|[trblxyse]))+)$/
/** Elements and classes of fonts that draw a word as its icon. */
const LIGATURES = /^(?:mat-icon|md-icon|material-(?:icons|symbols)(?:-\w+)?|mat-ligature-font)$/
const LIGATURE = /^[a-z][a-z\d]*(?:_[a-z\d]+)*$/

/** Controls that may have no name. */
const CONTROLS =
  /^(button|link|textbox|searchbox|combobox|checkbox|radio|switch|slider|spinbutton|tab|menuitem)$/

/** Hint for a control without a name, or for an element without role and content. Empty for all others. */
export function nameHint(element: Element, role: string, options: PageOptions): string {
  const isHinted = CONTROLS.test(role) || (!role && !native.textContent(element).trim())
  return isHinted ? cleanText(hintOf(element, options)) : ''
}

function hintOf(element: Element, options: PageOptions): string {
  const inside = [...native.querySelectorAll(element, '*')]
    .slice(0, PARTS)
    .filter((one) => isReadable(one, options))
  const icon = first([element, ...inside], (part) => iconName(part, part === element))
  const found = [icon, addressHint(element), givenWords(element)].filter(Boolean)
  const shown = found.length > 0 ? found : [classWords(element)]
  return cut([...new Set(shown)].slice(0, 2).join(', '), LIMIT)
}

function first(parts: readonly Element[], read: (part: Element) => string): string {
  for (const part of parts) {
    const found = read(part)
    if (found) return found
  }
  return ''
}

function iconName(part: Element, isControl: boolean): string {
  const tag = native.localName(part)
  if (tag === 'title') return wordsOf(native.textContent(part))
  const fragment = /#([\w-]+)$/.exec(
    tag === 'use'
      ? (native.getAttribute(part, 'href') ?? native.getAttribute(part, 'xlink:href') ?? '')
      : '',
  )?.[1]
  const named = marksOf(part, isControl).map((name) => native.getAttribute(part, name) ?? '')
  if (tag === 'img') named.push(fileOf(native.getAttribute(part, 'src') ?? ''))
  named.push(ligature(part))
  const own = [fragment ?? '', ...named].find((one) => one && !PLAIN.test(one))
  if (own) return wordsOf(ICON.exec(own)?.[1] ?? OF_ICON.exec(own)?.[1] ?? own)
  for (const token of classes(part)) {
    const ofIcon = OF_LIBRARY.test(token) ? null : OF_ICON.exec(token)
    const name = ICON.exec(token)?.[1] ?? ofIcon?.[1]
    if (name && !LOOK.test(name) && !PLAIN.test(name)) return wordsOf(name)
  }
  return ''
}

/**
 * Attributes that name an icon. For the control itself, leaves out those that any control may have: they are a later
 * hint.
 */
function marksOf(part: Element, isControl: boolean): readonly string[] {
  const marks = ['data-icon', 'data-lucide', 'data-feather', 'data-icon-name', 'icon']
  if (isControl) return marks
  const isIcon = native.localName(part).endsWith('-icon')
  return [...marks, 'data-mat-icon-name', 'data-testid', ...(isIcon ? ['name'] : [])]
}

/** `delete_forever` of `<mat-icon>delete_forever</mat-icon>`. */
function ligature(part: Element): string {
  const isDrawn = [native.localName(part), ...classes(part)].some((one) => LIGATURES.test(one))
  const text = isDrawn ? native.textContent(part).trim() : ''
  return LIGATURE.test(text) ? text : ''
}

function fileOf(source: string): string {
  return source.startsWith('data:') ? '' : (/([^/?#]+)\.\w+(?:[?#]|$)/.exec(source)?.[1] ?? '')
}

/** Address of a link, without its origin, its query, and parts that may be keys. */
function addressHint(element: Element): string {
  const href = isTag(element, 'a') ? native.getAttribute(element, 'href') : null
  return href && !/^(#?$|javascript:)/i.test(href)
    ? href.replace(/^\w+:\/\/[^/]*|[?#].*$/gs, '').replace(/[^/]{25,}/g, '…')
    : ''
}

function givenWords(element: Element): string {
  const given = ['data-action', 'data-testid', 'name', 'id'].map(
    (name) => native.getAttribute(element, name) ?? '',
  )
  return wordsOf(given.find((one) => /\p{L}{2}/u.test(one)) ?? '')
}

function classWords(element: Element): string {
  const words = classes(element).find(
    (one) =>
      /^[a-z][a-z-]{2,30}$/i.test(one) && ![PLAIN, OF_LIBRARY, LAYOUT].some((of) => of.test(one)),
  )
  return words && !isShared(element, words) ? wordsOf(words) : ''
}

/** Whether the control beside it has the class, too, which then tells nothing apart. */
function isShared(element: Element, name: string): boolean {
  return [native.previousElementSibling(element), native.nextElementSibling(element)].some(
    (one) =>
      one && native.localName(one) === native.localName(element) && classes(one).includes(name),
  )
}

function classes(element: Element): readonly string[] {
  return (native.getAttribute(element, 'class') ?? '').split(/\s+/).filter(Boolean)
}

/** Splits a mark into words. Removes keys and tokens first: their parts couldn't be recognized. */
function wordsOf(mark: string): string {
  return hintWords(withoutTokens(mark, ''))
}

/** Longer texts are searched for in the descendants that contain them. */
export const LONG_TEXT = 400
const SHORT_TEXT = 100

export function isClickable(element: Element): boolean {
  return native.hasAttribute(element, 'onclick') || native.hasAttribute(element, 'tabindex')
}

/** Texts that the element's name is likely to be made of. */
export function hints(element: Element, role: string, drawnWords: (of: Element) => string): string {
  const parts = ['aria-label', 'title', 'alt', 'placeholder', 'value', 'aria-labelledby'].map(
    (name) => native.getAttribute(element, name) ?? '',
  )
  for (const label of labelsOf(element)) parts.push(label.textContent)
  const value = typedValue(element)
  if (value.length < LONG_TEXT) parts.push(value)
  if (parts[5])
    for (const label of referenced(element, 'aria-labelledby')) parts.push(drawnText(label))
  // Content slotted into a component's label.
  const { host } = native.getRootNode(element) as Partial<ShadowRoot>
  if (host && native.textContent(host).length < LONG_TEXT) parts.push(native.textContent(host))
  const byContent = !role || isNamedByContent(role)
  const text = byContent ? native.textContent(element) : ownText(element)
  if (text.length < LONG_TEXT) parts.push(text)
  if (byContent && text.length < SHORT_TEXT) parts.push(...pictureTexts(element))
  // A style may write all or some of a control's words.
  if (text.length < SHORT_TEXT && (isActionable(role) || (!role && isClickable(element))))
    parts.push(drawnWords(element))
  if (role === 'slider') parts.push(wordsBeside(element))
  const words = normalize(parts.join(' '))
  const acts = isActionable(role) || (!role && isClickable(element))
  return words || !acts ? words : normalize(nameHint(element, role, {}))
}

function wordsBeside(slider: Element): string {
  const label = sliderLabel(slider, {})
  return label ? sliderLabelText(label, slider) : ''
}

/** Value of a text field. Empty for other elements. */
export function typedValue(element: Element): string {
  if (isTag(element, 'textarea')) return element.value
  return isTag(element, 'input') && !WITHOUT_TEXT.test(element.type) ? element.value : ''
}

const WITHOUT_TEXT = /^(checkbox|radio|submit|reset|button|image|file|hidden|password)$/

/** The text of an element with words of styles. Empty if styles add nothing to its content. */
export function drawnWordsOf(document: Document): (element: Element) => string {
  const mayWrite = once(() => mayWriteWords(document))
  return (element) =>
    native.getRootNode(element) === document && isOneText(element) && !mayWrite()
      ? ''
      : drawnText(element)
}

/** Whether the element holds a single text, in any wrappers, that no component's rules reach. */
function isOneText(element: Element): boolean {
  if (isOfComponent(native.parentElement(element))) return false
  let at: Node | null = element
  for (; isElement(at); at = native.firstChild(at))
    if (isOfComponent(at) || native.childNodes(at).length > 1) return false
  return true
}

/** Whether it is a component: a custom element may have a closed shadow root, with rules for its slotted content. */
function isOfComponent(element: Element | null): boolean {
  return (
    element !== null &&
    (native.shadowRoot(element) !== null || native.localName(element).includes('-'))
  )
}

/** A button may contain only an icon with a label. */
function pictureTexts(element: Element): string[] {
  const found = native.firstElementChild(element)
    ? native.querySelectorAll(element, '[aria-label],[alt]')
    : []
  return [...found].map(
    (one) => native.getAttribute(one, 'aria-label') ?? native.getAttribute(one, 'alt') ?? '',
  )
}

function ownText(element: Element): string {
  let text = ''
  for (const node of native.childNodes(element))
    if (native.nodeType(node) === 3) text += native.nodeValue(node)
  return text.trim() ? text : native.textContent(element)
}
