import { cleanText, cut } from '../clean-text.ts'
import { isTag } from '../dom.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../options.ts'
import { isReadable } from '../outline/region.ts'
import { hintWords } from '../secrets/hint-words.ts'
import { withoutTokens } from '../secrets/token-patterns.ts'

// What distinguishes a control that its author gave no name: the name of its icon, where it leads, its id.

/** An icon is made of few elements. */
const PARTS = 12
const LIMIT = 40
/** `fa-trash`, `lucide-x`, `icon-close`: the icon's name. */
const ICON =
  /^(?:fa|fas|bi|mdi|ti|ri|la|pi|icons?|ico|lucide|feather|glyphicon|codicon|octicon|anticon|el-icon|ph|tabler-icon)[-_](.+)$/
/** `trash-icon`, `TrashIcon`. */
const OF_ICON = /^(.{2,}?)[-_]?icon$/i
/** How an icon looks. */
const LOOK =
  /^(?:\d.*|fw|lg|sm|xs|xl|md|solid|regular|light|thin|duotone|brands|spin|pulse|inverse|small|large|medium|button|btn|svg|only|wrapper|container)$/
/** What says nothing. */
const PLAIN =
  /^(?:btn|button|icon|icons|svg|img|link|item|wrapper|container|root|inner|clickable|active|small|large|primary|secondary|default|ghost|flat|rounded|circle|input|field|form-control)$/i

/** Controls that may have no name. */
const CONTROLS =
  /^(button|link|textbox|searchbox|combobox|checkbox|radio|switch|slider|spinbutton|tab|menuitem)$/

/** Of a control without a name, and of what has no content to be known by; empty for all others. */
export function nameHint(element: Element, role: string, options: PageOptions): string {
  const isHinted = CONTROLS.test(role) || (!role && !native.textContent(element).trim())
  return isHinted ? cleanText(hintOf(element, options)) : ''
}

function hintOf(element: Element, options: PageOptions): string {
  const inside = [...native.querySelectorAll(element, '*')]
    .slice(0, PARTS)
    .filter((one) => isReadable(one, options))
  const icon = first([element, ...inside], iconName)
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

function iconName(part: Element): string {
  const tag = native.localName(part)
  if (tag === 'title') return wordsOf(native.textContent(part))
  const fragment = /#([\w-]+)$/.exec(
    tag === 'use'
      ? (native.getAttribute(part, 'href') ?? native.getAttribute(part, 'xlink:href') ?? '')
      : '',
  )?.[1]
  const named = ['data-icon', 'data-lucide', 'data-feather', 'icon'].map(
    (name) => native.getAttribute(part, name) ?? '',
  )
  if (tag === 'img') named.push(fileOf(native.getAttribute(part, 'src') ?? ''))
  const own = [fragment ?? '', ...named].find(Boolean)
  if (own) return wordsOf(ICON.exec(own)?.[1] ?? own)
  for (const token of classes(part)) {
    const name = ICON.exec(token)?.[1] ?? OF_ICON.exec(token)?.[1]
    if (name && !LOOK.test(name) && !PLAIN.test(name)) return wordsOf(name)
  }
  return ''
}

function fileOf(source: string): string {
  return source.startsWith('data:') ? '' : (/([^/?#]+)\.\w+(?:[?#]|$)/.exec(source)?.[1] ?? '')
}

/** Where a link leads, without its origin, what it asks for, and what may be a key. */
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
  const words = classes(element).find((one) => /^[a-z][a-z-]{2,30}$/i.test(one) && !PLAIN.test(one))
  return wordsOf(words ?? '')
}

function classes(element: Element): readonly string[] {
  return (native.getAttribute(element, 'class') ?? '').split(/\s+/).filter(Boolean)
}

/** Keys and tokens are removed before they are taken apart, when nothing tells them any more. */
function wordsOf(mark: string): string {
  return hintWords(withoutTokens(mark, ''))
}
