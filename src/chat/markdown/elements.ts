import { copyText } from '../../stage/copy-text.ts'
import type { MarkdownOptions } from '../context.ts'
import type { Words } from '../words/words.ts'
import { colorCode } from './color-code.ts'
import { hostOf, saysHost } from './safe-address.ts'

/** How Markdown is drawn: the page's options, and the words on buttons. */
export interface Drawing {
  readonly options: MarkdownOptions
  readonly words: Pick<Words, 'copied' | 'copyCode' | 'image' | 'task'>
}

/** Text only ever becomes text nodes. */
export type Content = Node | string

/** Bidirectional overrides, embeddings and isolates would reorder the text around them. */
const TURNING = /[\u202A-\u202E\u2066-\u2069]/g

export function make(tag: string, className = '', ...contents: readonly Content[]): HTMLElement {
  const element = document.createElement(tag)
  if (className) element.className = className
  append(element, contents)
  return element
}

/** Adjacent texts share one text node, which browsers shape as one. */
export function append(parent: Element, contents: readonly Content[]): void {
  for (const content of contents) {
    const { lastChild } = parent
    if (typeof content !== 'string') parent.append(content)
    else if (lastChild instanceof Text) lastChild.appendData(content.replace(TURNING, ''))
    else parent.append(content.replace(TURNING, ''))
  }
}

/** A link that says which host it leads to, unless its text does. */
export function link(url: URL, contents: readonly Content[]): HTMLElement {
  const { href } = url
  const rel = 'noopener noreferrer'
  const element = make('a', '', ...contents)
  Object.assign(element, { href, rel, target: '_blank', title: href })
  // A button within a link could not be pressed by itself.
  for (const picture of element.querySelectorAll<HTMLElement>('.picture'))
    picture.replaceWith(picture.title)
  if (!saysHost(element.textContent ?? '', url))
    element.append(' ', make('span', 'target', `(${hostOf(url)})`))
  return element
}

/** A button that loads the picture. Pictures of origins that the page allows load at once. */
export function picture(url: URL, alt: string, { options, words }: Drawing): HTMLElement {
  const element = make('span', 'picture')
  element.title = alt
  const show = (): void => {
    const image = make('img')
    // The address comes last: how it is loaded is said before.
    Object.assign(image, { alt, referrerPolicy: 'no-referrer', loading: 'lazy', src: url.href })
    element.replaceChildren(image)
  }
  if (options.imageOrigins?.includes(url.origin)) show()
  else element.append(button('', `${alt} ${words.image(url.href)}`.trim(), show))
  return element
}

/** Mathematics as the page renders it, else its source with its delimiters. */
export function math(element: HTMLElement, source: string, { options }: Drawing): HTMLElement {
  const size = /^\$[^$]/.test(source) ? 1 : 2
  const isBlock = source.startsWith('$$') || source.startsWith('\\[')
  const rendered = made(() => options.renderMath?.(source.slice(size, -size).trim(), isBlock))
  element.replaceChildren()
  append(element, [rendered ?? source])
  return element
}

export function checkbox(isChecked: boolean, { words }: Drawing): HTMLElement {
  const box = make('input')
  box.setAttribute('aria-label', words.task)
  return Object.assign(box, { type: 'checkbox', disabled: true, defaultChecked: isChecked })
}

/** A block of code, and the `code` in it. */
export function codeBlock(
  info: string,
  { words }: Drawing,
): [block: HTMLElement, code: HTMLElement] {
  const language = info.trim().split(/\s/, 1).join('').slice(0, 40)
  const code = make('code')
  if (language) code.setAttribute('data-language', language)
  const pre = make('pre', '', code)
  pre.tabIndex = 0
  const copy = button('copy', words.copyCode, () =>
    copyText(code.textContent ?? '', () => {
      copy.textContent = words.copied
    }),
  )
  const head = make('div', 'code-head', make('span', 'language', language), copy)
  return [make('div', 'code', head, pre), code]
}

/** Code as the page colours it once it is whole, else as the chat does. */
export function highlight(code: HTMLElement, { options }: Drawing, isOpen: boolean): void {
  if (isOpen && options.highlight) return
  const colored = made(() =>
    options.highlight?.(code.textContent ?? '', code.getAttribute('data-language') ?? ''),
  )
  if (colored) code.replaceChildren(colored)
  else colorCode(code, isOpen)
}

function button(className: string, text: string, onclick: () => void): HTMLElement {
  return Object.assign(make('button', className, text), { type: 'button', onclick })
}

/** The page's function may throw: the text stays as it is. */
function made(make: () => Node | null | undefined): Node | null | undefined {
  try {
    return make()
  } catch (thrown) {
    reportError(thrown)
    return null
  }
}
