import { closest, isTag, viewOf } from '../dom.ts'
import type { LivePage } from '../outline/live-page.ts'
import type { PageOptions } from '../options.ts'
import { PageError } from '../page-error.ts'

/** `activate`: as a click; of a text field it is Enter, which submits its form. */
export type Activation = 'click' | 'activate'

/** Whether the tools may lead the page to this address: other protocols than the web's leave no page. */
export function isAllowedSite(url: URL, view: Window, { origins = [] }: PageOptions): boolean {
  if (!/^https?:$/.test(url.protocol)) return true
  return url.origin === view.location.origin || origins.includes(url.origin)
}

/** Where the element's own link or form leads. Null: nowhere, or its page's script decides. */
export function destinationOf(element: Element, how: Activation): URL | null {
  const link = closest(element, 'a,area')
  const href = link?.getAttribute('href') ?? link?.getAttribute('xlink:href')
  if (link && href !== null && href !== undefined) return resolved(href, link)
  const button = submitterOf(element) ?? (how === 'activate' ? defaultButtonOf(element) : null)
  const form = button?.form ?? (how === 'activate' ? formOf(element) : null)
  if (!form || methodOf(form, button) === 'dialog') return null
  return resolved(button?.getAttribute('formaction') ?? attributeOf(form, 'action') ?? '', form)
}

/** Throws `outside` when the element leads to a site that `navigate` may not go to either. */
export function requireSite(element: Element, how: Activation, { options }: LivePage): void {
  const url = destinationOf(element, how)
  if (url && !isAllowedSite(url, viewOf(element), options)) throw otherSite(url, viewOf(element))
}

export function otherSite({ origin }: URL, { location }: Window): PageError {
  return new PageError(
    'outside',
    `${origin} is another site. Only addresses of ${location.origin} may be opened.`,
  )
}

/** The button whose activation submits the form that the element is in. */
export function defaultButtonOf(field: Element): Submitter | null {
  const form = formOf(field)
  if (!form) return null
  for (const one of elementsOf(form)) if (isSubmitter(one)) return one
  return null
}

type Submitter = HTMLButtonElement | HTMLInputElement

function submitterOf(element: Element): Submitter | null {
  const inside = closest(element, 'button,input,label')
  const control = inside && isTag(inside, 'label') ? inside.control : inside
  return control && isSubmitter(control) ? control : null
}

function isSubmitter(element: Element): element is Submitter {
  if (isTag(element, 'button')) return element.type === 'submit'
  return isTag(element, 'input') && /^(submit|image)$/.test(element.type)
}

function formOf(element: Element): HTMLFormElement | null {
  return isTag(element, 'input') ? element.form : null
}

function resolved(address: string, { baseURI, ownerDocument }: Element): URL | null {
  // An empty action is the page's own address, whatever its base.
  return URL.parse(address, address.trim() ? baseURI : ownerDocument.URL)
}

function methodOf(form: HTMLFormElement, button: Submitter | null): string | undefined {
  return (button?.getAttribute('formmethod') ?? attributeOf(form, 'method'))?.toLowerCase()
}

/** A form's fields hide its own properties and methods when they have their names. */
function attributeOf(form: HTMLFormElement, name: string): string | null {
  return Element.prototype.getAttribute.call(form, name)
}

function elementsOf(form: HTMLFormElement): Element[] {
  const read = Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, 'elements')?.get
  return [...((read?.call(form) ?? []) as Iterable<Element>)]
}
