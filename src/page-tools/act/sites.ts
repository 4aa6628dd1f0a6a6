import { closest, isTag, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import type { LivePage } from '../outline/live-page.ts'
import type { PageOptions } from '../options.ts'
import { PageError } from '../page-error.ts'

/** `activate`: as a click; of a text field it is Enter, which submits its form. */
export type Activation = 'click' | 'activate'

/** Whether the tools may lead the page to this address: other protocols than the web's leave no page. */
export function isAllowedSite(url: URL, view: Window, { origins = [] }: PageOptions): boolean {
  if (!/^https?:$/.test(url.protocol)) return true
  return url.origin === originOf(view) || origins.includes(url.origin)
}

/** Whether what is at this address is somebody else's, or another program's. */
export function leavesSite(url: URL, view: Window): boolean {
  return !/^(javascript|blob|data|about):$/.test(url.protocol) && url.origin !== originOf(view)
}

/** A frame without an address of its own has the origin of the page that made it. */
function originOf(view: Window): string {
  return view.origin === 'null' ? view.location.origin : view.origin
}

/**
 * Where the element's own link or form leads. Null: nowhere, or its page's script decides. A button in a link, or the
 * other way round, may do either, by browser: what leaves the site counts.
 */
export function destinationOf(element: Element, how: Activation): URL | null {
  const urls = destinationsOf(element, how)
  return urls.find((url) => leavesSite(url, viewOf(element))) ?? urls[0] ?? null
}

function destinationsOf(element: Element, how: Activation): URL[] {
  return [linkOf(element), formTargetOf(element, how)].filter((url) => url !== null)
}

/** The address of the link that the element is, or is in. */
export function linkOf(element: Element): URL | null {
  const link = closest(element, 'a,area')
  const href =
    (link && native.getAttribute(link, 'href')) ?? (link && native.getAttribute(link, 'xlink:href'))
  return link && href !== null && href !== undefined ? resolved(href, link) : null
}

function formTargetOf(element: Element, how: Activation): URL | null {
  const button = submitterOf(element) ?? (how === 'activate' ? defaultButtonOf(element) : null)
  const form = button?.form ?? (how === 'activate' ? formOf(element) : null)
  if (!form || methodOf(form, button) === 'dialog') return null
  return resolved(button?.getAttribute('formaction') ?? attributeOf(form, 'action') ?? '', form)
}

/** Throws `outside` when the element leads to a site that `navigate` may not go to either. */
export function requireSite(element: Element, how: Activation, { options }: LivePage): void {
  const view = viewOf(element)
  for (const url of [...destinationsOf(element, how), ...pingsOf(element)])
    if (!isAllowedSite(url, view, options)) throw otherSite(url, view)
}

/** Where the browser reports that a link was followed. */
function pingsOf(element: Element): URL[] {
  const link = closest(element, 'a[ping],area[ping]')
  const addresses = (link && native.getAttribute(link, 'ping'))?.split(/\s+/).filter(Boolean) ?? []
  return addresses.flatMap((address) => (link && resolved(address, link)) ?? [])
}

export function otherSite({ origin }: URL, view: Window): PageError {
  return new PageError(
    'outside',
    `${origin} is another site. Only addresses of ${originOf(view)} may be opened.`,
  )
}

/** The button whose activation submits the form that the element is in. */
export function defaultButtonOf(field: Element): Submitter | null {
  const form = formOf(field)
  if (!form) return null
  for (const one of elementsOf(form)) if (isSubmitter(one)) return one
  return null
}

export type Submitter = HTMLButtonElement | HTMLInputElement

/** The form whose fields a press on the control sends, or a script takes: also of a button that submits nothing itself. */
export function formSubmittedBy(control: Element, how: Activation): HTMLFormElement | null {
  if (isTag(control, 'button')) return control.form
  const button = submitterOf(control) ?? (how === 'activate' ? defaultButtonOf(control) : null)
  return button?.form ?? (how === 'activate' ? formOf(control) : null)
}

/** The button that submits a form when the element is clicked. */
export function submitterOf(element: Element): Submitter | null {
  const inside = closest(element, 'button,input,label')
  const control = inside && isTag(inside, 'label') ? inside.control : inside
  return control && isSubmitter(control) ? control : null
}

function isSubmitter(element: Element): element is Submitter {
  if (isTag(element, 'button')) return element.type === 'submit'
  return isTag(element, 'input') && /^(submit|image)$/.test(element.type)
}

/** The form that Enter in the element submits: a button is pressed by it. */
function formOf(element: Element): HTMLFormElement | null {
  return isTag(element, 'input') && !BUTTON_TYPES.test(element.type) ? element.form : null
}

const BUTTON_TYPES = /^(button|reset|submit|image|file|color)$/

function resolved(address: string, element: Element): URL | null {
  // An empty action is the page's own address, whatever its base.
  return URL.parse(
    address,
    address.trim() ? native.baseURI(element) : nativeDocument.URL(native.ownerDocument(element)),
  )
}

function methodOf(form: HTMLFormElement, button: Submitter | null): string | undefined {
  return (button?.getAttribute('formmethod') ?? attributeOf(form, 'method'))?.toLowerCase()
}

/** A form's fields hide its own properties and methods when they have their names. */
function attributeOf(form: HTMLFormElement, name: string): string | null {
  return native.getAttribute(form, name)
}

/** Its fields and buttons. */
export function elementsOf(form: HTMLFormElement): Element[] {
  const read = Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, 'elements')?.get
  return [...((read?.call(form) ?? []) as Iterable<Element>)]
}
