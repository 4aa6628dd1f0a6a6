import * as smd from 'streaming-markdown'
import type { MarkdownOptions } from '../context.ts'
import { copyText } from '../../stage/copy-text.ts'
import type { Words } from '../words/words.ts'
import { hostOf, safeAddress, saysHost } from './safe-address.ts'

type ButtonWords = Pick<Words, 'copied' | 'copyCode' | 'image' | 'task'>

/** Makes elements of what the parser finds. Text only ever becomes text nodes. */
export interface DomRendererData {
  /** The open elements, the root first. */
  readonly open: Element[]
  /** What kind each of them is. */
  readonly tokens: smd.Token[]
  readonly options: MarkdownOptions
  readonly words: ButtonWords
  /** Where blocks are added: the root, and once that has many, a part of it. */
  place: Element
  /** Of the open element, and not in it yet: a text node is changed once for each drawing, not for each letter. */
  text: string
}

export function domRenderer(
  root: Element,
  options: MarkdownOptions,
  words: ButtonWords,
): smd.Renderer<DomRendererData> {
  return {
    data: { open: [root], tokens: [smd.DOCUMENT], options, words, place: root, text: '' },
    add_token: addToken,
    end_token: endToken,
    add_text: addText,
    set_attr: setAttribute,
  }
}

const TAGS: Readonly<Partial<Record<smd.Token, string>>> = {
  [smd.PARAGRAPH]: 'p',
  // A page has headings of its own, above these.
  [smd.HEADING_1]: 'h3',
  [smd.HEADING_2]: 'h4',
  [smd.HEADING_3]: 'h5',
  [smd.HEADING_4]: 'h6',
  [smd.HEADING_5]: 'h6',
  [smd.HEADING_6]: 'h6',
  [smd.CODE_INLINE]: 'code',
  [smd.ITALIC_AST]: 'em',
  [smd.ITALIC_UND]: 'em',
  [smd.STRONG_AST]: 'strong',
  [smd.STRONG_UND]: 'strong',
  [smd.STRIKE]: 's',
  [smd.LINK]: 'a',
  [smd.RAW_URL]: 'a',
  [smd.BLOCKQUOTE]: 'blockquote',
  [smd.LINE_BREAK]: 'br',
  [smd.RULE]: 'hr',
  [smd.LIST_UNORDERED]: 'ul',
  [smd.LIST_ORDERED]: 'ol',
  [smd.LIST_ITEM]: 'li',
  [smd.TABLE_ROW]: 'tr',
  [smd.EQUATION_BLOCK]: 'p',
}

function addToken(data: DomRendererData, token: smd.Token): void {
  flushText(data)
  const element = elementFor(data, token)
  const parent = data.open.length > 1 ? topOf(data) : placeOf(data)
  parent.append(containerOf(element))
  data.open.push(element)
  data.tokens.push(token)
}

/** Blocks side by side in one element. */
const BLOCKS_OF_PART = 32

/** Where the next block goes. To lay out a growing element takes longer the more blocks it has, finished ones included. */
function placeOf(data: DomRendererData): Element {
  if (data.place.childElementCount < BLOCKS_OF_PART) return data.place
  data.place = make('div', 'part')
  data.open[0]?.append(data.place)
  return data.place
}

function elementFor(data: DomRendererData, token: smd.Token): Element {
  switch (token) {
    case smd.CODE_FENCE:
    case smd.CODE_BLOCK:
      return codeBlock(data.words)
    case smd.TABLE:
      return table()
    case smd.TABLE_CELL:
      return make(isFirstRow(topOf(data)) ? 'th' : 'td')
    case smd.CHECKBOX:
      return checkbox(data.words)
    case smd.IMAGE:
      return make('span', 'picture')
    case smd.EQUATION_INLINE:
      return make('span', 'math')
    default:
      return make(TAGS[token] ?? 'span')
  }
}

function endToken(data: DomRendererData): void {
  flushText(data)
  const element = data.open.pop()
  const token = data.tokens.pop()
  if (!element) return
  const { options } = data
  switch (token) {
    case smd.CODE_FENCE: {
      const code = element.textContent ?? ''
      const language = element.getAttribute('data-language') ?? ''
      const shown = made(() => options.highlight?.(code, language))
      if (shown) element.replaceChildren(shown)
      return
    }
    case smd.EQUATION_BLOCK:
    case smd.EQUATION_INLINE: {
      const source = element.textContent ?? ''
      const shown = made(() => options.renderMath?.(source, token === smd.EQUATION_BLOCK))
      if (shown) element.replaceChildren(shown)
      return
    }
    case smd.LINK:
      // Without an address that may be followed it is its text.
      if (!element.hasAttribute('href')) element.replaceWith(...element.childNodes)
      return
    default:
  }
}

/** What a function of the page's makes; where it throws, the text stays as it is. */
function made(make: () => Node | null | undefined): Node | null | undefined {
  try {
    return make()
  } catch (thrown) {
    reportError(thrown)
    return null
  }
}

/** Bidirectional overrides, embeddings and isolates, which would turn what stands around them. */
const TURNING = /[\u202A-\u202E\u2066-\u2069]/g

function addText(data: DomRendererData, text: string): void {
  data.text += text
}

/** Puts the text that has come into its element. To be called behind the last letter that is there. */
export function flushText(data: DomRendererData): void {
  if (data.text === '') return
  const parent = topOf(data)
  const clean = data.text.replace(TURNING, '')
  data.text = ''
  const { lastChild } = parent
  if (lastChild instanceof Text) lastChild.appendData(clean)
  else parent.append(clean)
}

function setAttribute(data: DomRendererData, name: smd.Attr, value: string): void {
  flushText(data)
  const element = topOf(data)
  switch (name) {
    case smd.HREF:
      link(element, value)
      return
    case smd.SRC:
      picture(element, value, data)
      return
    case smd.LANG: {
      const [language = ''] = value.trim().split(/\s/, 1)
      element.setAttribute('data-language', language.slice(0, 40))
      element.parentElement?.previousElementSibling?.firstElementChild?.append(
        language.slice(0, 40),
      )
      return
    }
    case smd.CHECKED:
      element.setAttribute('checked', '')
      return
    case smd.START:
      element.setAttribute('start', value.slice(0, 9))
      return
  }
}

function link(element: Element, value: string): void {
  const url = safeAddress(value)
  if (!url) return
  element.setAttribute('href', url.href)
  element.setAttribute('rel', 'noopener noreferrer')
  element.setAttribute('target', '_blank')
  element.setAttribute('title', url.href)
  if (!saysHost(element.textContent ?? '', url))
    element.append(' ', make('span', 'target', `(${hostOf(url)})`))
}

/** No picture loads by itself, but those of origins that the page allows. */
function picture(
  element: Element,
  value: string,
  { options, words, tokens }: DomRendererData,
): void {
  const url = safeAddress(value)
  const description = element.textContent ?? ''
  if (!url || url.protocol === 'mailto:' || tokens.includes(smd.LINK)) return
  const show = (): void => {
    const image = document.createElement('img')
    image.alt = description
    image.referrerPolicy = 'no-referrer'
    image.loading = 'lazy'
    image.src = url.href
    element.replaceChildren(image)
  }
  if (options.imageOrigins?.includes(url.origin)) return show()
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = `${description} ${words.image(url.href)}`.trim()
  button.addEventListener('click', show)
  element.replaceChildren(button)
}

function codeBlock(words: ButtonWords): Element {
  const code = make('code')
  const pre = make('pre')
  pre.setAttribute('tabindex', '0')
  pre.append(code)
  const copy = document.createElement('button')
  copy.type = 'button'
  copy.className = 'copy'
  copy.textContent = words.copyCode
  copy.addEventListener('click', () => {
    copyText(code.textContent ?? '', () => {
      copy.textContent = words.copied
    })
  })
  const head = make('div', 'code-head')
  head.append(make('span', 'language'), copy)
  const block = make('div', 'code')
  block.append(head, pre)
  return code
}

function table(): Element {
  const scroller = make('div', 'table')
  scroller.setAttribute('tabindex', '0')
  const element = make('table')
  scroller.append(element)
  return element
}

/** What stands in the text for an element: a block around it, where it has one. */
function containerOf(element: Element): Element {
  return element.closest('.code, .table') ?? element
}

function checkbox({ task }: ButtonWords): Element {
  const box = document.createElement('input')
  box.setAttribute('aria-label', task)
  box.type = 'checkbox'
  box.disabled = true
  return box
}

function isFirstRow(row: Element): boolean {
  return row.previousElementSibling === null
}

function topOf({ open }: DomRendererData): Element {
  const top = open.at(-1)
  if (!top) throw new Error('The parser has ended more than it began.')
  return top
}

function make(tag: string, className = '', text = ''): Element {
  const element = document.createElement(tag)
  if (className) element.className = className
  if (text) element.textContent = text
  return element
}
