import { copyText } from '../../shared/copy-text.ts'
import type { MarkdownOptions } from '../context.ts'
import type { Words } from '../words/words.ts'
import { hostOf, namesHost } from './safe-address.ts'
import type * as Colors from './code-colors.ts'

/** Calls a function of the page. If it throws, reports the error to the page, and returns undefined. */
export function attempt<Value>(act: () => Value): Value | undefined {
  try {
    return act()
  } catch (thrown) {
    reportError(thrown)
    return undefined
  }
}

/** The page's Markdown options, and the button labels. */
export interface Drawing {
  readonly options: MarkdownOptions
  readonly words: Pick<Words, 'copied' | 'copyCode' | 'image' | 'task'>
}

/** Content to append. Strings become text nodes, never HTML. */
export type Content = Node | string

/** Bidirectional overrides, embeddings and isolates. They are removed because they reorder the text around them. */
const BIDI_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/g

export function make(tag: string, className = '', ...contents: readonly Content[]): HTMLElement {
  const element = document.createElement(tag)
  if (className) element.className = className
  append(element, contents)
  return element
}

/** Appends content. Adjacent texts share one text node, so that browsers shape them together. */
export function append(parent: Element, contents: readonly Content[]): void {
  for (const content of contents) {
    const { lastChild } = parent
    if (typeof content !== 'string') parent.append(content)
    else if (lastChild instanceof Text) lastChild.appendData(content.replace(BIDI_CONTROLS, ''))
    else parent.append(content.replace(BIDI_CONTROLS, ''))
  }
}

/** Creates a link. Its host is added in parentheses unless the text already says it. */
export function link(url: URL, contents: readonly Content[]): HTMLElement {
  const { href } = url
  const rel = 'noopener noreferrer'
  const element = make('a', '', ...contents)
  Object.assign(element, { href, rel, target: '_blank', title: href })
  // Replaces pictures with their alternative text, because their buttons can't work inside a link.
  for (const picture of element.querySelectorAll<HTMLElement>('.picture'))
    picture.replaceWith(picture.title)
  if (!namesHost(element.textContent ?? '', url))
    element.append(' ', make('span', 'target', `(${hostOf(url)})`))
  return element
}

/** Creates a button that loads the picture. Pictures from `imageOrigins` load at once. */
export function picture(url: URL, alt: string, { options, words }: Drawing): HTMLElement {
  const element = make('span', 'picture')
  element.title = alt
  const show = (): void => {
    const image = make('img')
    // `src` comes last: setting it starts the request, which must use the options above.
    Object.assign(image, { alt, referrerPolicy: 'no-referrer', loading: 'lazy', src: url.href })
    element.replaceChildren(image)
  }
  if (options.imageOrigins?.includes(url.origin)) show()
  else {
    const load = (): void => {
      show()
      // Focusable, because it takes the focus of the button that it replaces.
      element.tabIndex = -1
      element.focus()
    }
    element.append(button('', `${alt} ${words.image(url.href)}`.trim(), load))
  }
  return element
}

/** Renders mathematics with the page's `renderMath`. Without it, shows the source with its delimiters. */
export function math(element: HTMLElement, source: string, { options }: Drawing): HTMLElement {
  const size = /^\$[^$]/.test(source) ? 1 : 2
  const isBlock = source.startsWith('$$') || source.startsWith('\\[')
  const rendered = attempt(() => options.renderMath?.(source.slice(size, -size).trim(), isBlock))
  element.replaceChildren()
  append(element, [rendered ?? source])
  return element
}

export function checkbox(isChecked: boolean, { words }: Drawing): HTMLElement {
  const box = make('input')
  box.setAttribute('aria-label', words.task)
  return Object.assign(box, { type: 'checkbox', disabled: true, defaultChecked: isChecked })
}

/** How long a button says that it has copied. Milliseconds. */
export const COPIED_MS = 2000

/** Creates a block of code. Also returns its `code` element. */
export function codeBlock(
  info: string,
  { words }: Drawing,
): [block: HTMLElement, code: HTMLElement] {
  const language = info.trim().split(/\s/, 1).join('').slice(0, 40)
  const code = make('code')
  if (language) code.setAttribute('data-language', language)
  const pre = make('pre', '', code)
  pre.tabIndex = 0
  const copy = button('quiet', words.copyCode, () =>
    copyText(code.textContent ?? '', () => {
      copy.textContent = words.copied
      setTimeout(() => (copy.textContent = words.copyCode), COPIED_MS)
    }),
  )
  const head = make('div', 'code-head', make('span', 'language', language), copy)
  return [make('div', 'code', head, pre), code]
}

/** Colours code. The page's `highlight`, if any, is called once the code is complete. */
export function highlight(code: HTMLElement, { options }: Drawing, isOpen: boolean): void {
  if (isOpen && options.highlight) return
  const colored = attempt(() =>
    options.highlight?.(code.textContent ?? '', code.getAttribute('data-language') ?? ''),
  )
  if (colored) code.replaceChildren(colored)
  else colorCode(code, isOpen)
}

function button(className: string, text: string, onclick: () => void): HTMLElement {
  return Object.assign(make('button', className, text), { type: 'button', onclick })
}

let loading: Promise<typeof Colors> | undefined

/**
 * Colours code with the CSS Custom Highlight API; code stays plain in browsers without it. The colouring code loads
 * with the first finished block. `isOpen`: more code may follow.
 */
function colorCode(code: HTMLElement, isOpen: boolean): void {
  if (isOpen ? loading : CSS.highlights)
    (loading ??= import('./code-colors.ts')).then(
      ({ show }) => show(code, isOpen),
      () => {
        loading = undefined
      },
    )
}
