import { cleanText, cut } from '../clean-text.ts'
import { isTag } from '../dom.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../options.ts'
import { isReadable } from '../outline/region.ts'
import { hintWords } from '../secrets/hint-words.ts'
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
