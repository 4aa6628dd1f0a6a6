import { closest, isTag, pathOf, viewOf } from '../dom.ts'
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
  return [linkOf(element), ...submissionsBy(element, how).map(formTarget)].filter(
    (url) => url !== null,
  )
}

/** The address of the link that the element is, or is in. */
export function linkOf(element: Element): URL | null {
  const link = linkAround(element)
  const address = link && addressOf(link)
  return link && address !== null ? resolved(address, link) : null
}

/** The link that a click on the element follows: the nearest that has an address. */
export function linkAround(element: Element): Element | null {
  return pathOf(element, 'a,area').find((link) => addressOf(link) !== null) ?? null
}

function addressOf(link: Element): string | null {
  const animated = native.animatedHref(link)
  return animated || (native.getAttribute(link, 'href') ?? native.getAttribute(link, 'xlink:href'))
}

interface Submission {
  readonly form: HTMLFormElement
  readonly button: Submitter | null
}

/** A button around a field is pressed by a click, and by Enter in the field its own form's, by browser. */
function submissionsBy(element: Element, how: Activation): Submission[] {
  const around = submitterOf(element)
  const form = how === 'activate' ? formOf(element) : null
  return [
    ...(around?.form ? [{ form: around.form, button: around }] : []),
    ...(form ? [{ form, button: defaultButtonOf(element) }] : []),
  ]
}

/** Whether the element submits a form by POST: `formmethod` wins over `method`, and without both it is GET. */
export function postsForm(element: Element, how: Activation): boolean {
  return submissionsBy(element, how).some(isPost)
}

export function isPost({ form, button }: Submission): boolean {
  return methodOf(form, button) === 'post'
}

/** Null: a form that only closes its dialog leads nowhere. */
export function formTarget({ form, button }: Submission): URL | null {
  if (methodOf(form, button) === 'dialog') return null
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

/** The form whose fields a press on the element sends, or a script takes: also of a button that submits nothing itself. */
export function formSubmittedBy(element: Element, how: Activation): HTMLFormElement | null {
  const button = how === 'activate' ? defaultButtonOf(element) : null
  const around = button ?? submitterOf(element) ?? buttonsAround(element).find(isButton)
  return around?.form ?? (how === 'activate' ? formOf(element) : null)
}

/** The button that submits a form when the element is clicked: itself, or one around it, whatever is in between. */
export function submitterOf(element: Element): Submitter | null {
  return buttonsAround(element).find(isSubmitter) ?? null
}

/** The buttons and inputs that a click on the element reaches, itself or by a label. */
function buttonsAround(element: Element): Element[] {
  return pathOf(element, 'button,input,label').flatMap(
    (one) => (isTag(one, 'label') ? one.control : one) ?? [],
  )
}

function isButton(element: Element): element is HTMLButtonElement {
  return isTag(element, 'button')
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
