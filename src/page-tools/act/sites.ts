import { closest, isTag, pathOf, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import type { LivePage } from '../outline/live-page.ts'
import { type PageOptions, PageError } from '../page.ts'

/** Replaces functions of a window until the signal is aborted, or until the window shows another document. */
export function replaceFunctions(
  view: Window,
  functions: Partial<Window>,
  signal: AbortSignal,
): void {
  const saved = Object.entries(functions).map(([name, replacement]) => {
    const descriptor = Object.getOwnPropertyDescriptor(view, name)
    // Does nothing on a page that has locked the function.
    Reflect.set(view, name, replacement)
    return [name, descriptor] as const
  })
  const { document } = view
  signal.addEventListener('abort', () => {
    if (!shows(view, document)) return
    for (const [name, descriptor] of saved)
      if (descriptor) Object.defineProperty(view, name, descriptor)
      else Reflect.deleteProperty(view, name)
  })
}

/** Whether the window still shows the document. Reading `document` throws if another site is shown now. */
function shows(view: Window, document: Document): boolean {
  try {
    return view.document === document
  } catch {
    return false
  }
}

interface SiteWatch {
  /** Report lines: the sites that the page was kept from opening. */
  lines(): string[]
  /** Throws the first error of `checkPost`, if the page tried to submit a form that it rejects. */
  requireNoPost(): void
}

/** How long a navigation or submission after a user gesture counts as its result. Milliseconds. */
const PRESS_MS = 2000
const PRESSES = ['pointerdown', 'pointerup', 'keydown']

const standIns = new WeakSet<Event>()

/** Whether the event is our replacement for the browser's own `submit` event. */
export function isStandIn(event: Event): boolean {
  return standIns.has(event)
}

/**
 * Cancels submissions, new windows and navigations to other sites that scripts of the page start, until the signal is
 * aborted. Navigations are canceled only in browsers with the Navigation API. Also cancels POST submissions for which
 * `checkPost` throws. Leaves alone whatever follows a user gesture, since scripts can't fake a trusted event.
 * `userInitiated` isn't enough: it is also true for a form that a script's click submits.
 */
export function keepOnSite(
  trees: Iterable<Document | ShadowRoot>,
  options: PageOptions,
  { checkPost, signal }: { readonly checkPost: () => void; readonly signal: AbortSignal },
): SiteWatch {
  const kept = new Set<string>()
  const problems: unknown[] = []
  let pressedAt = -Infinity
  const rules: Rules = {
    signal,
    isPersons: () => performance.now() - pressedAt < PRESS_MS,
    notePress: () => (pressedAt = performance.now()),
    mayGo(url, view) {
      if (!url || isAllowedSite(url, view, options)) return true
      kept.add(url.origin)
      return false
    },
    mayPost() {
      try {
        checkPost()
        return true
      } catch (error) {
        problems.push(error)
        return false
      }
    },
  }
  for (const tree of trees) {
    watchSubmissions(tree, rules)
    if (native.nodeType(tree) === 9) watchNavigations(viewOf(tree), rules)
  }
  return {
    lines: () =>
      [...kept].map(
        (origin) => `The page tried to go to ${origin}, another site: that is not allowed.`,
      ),
    requireNoPost() {
      if (problems.length > 0) throw problems[0]
    },
  }
}

interface Rules {
  readonly signal: AbortSignal
  /** Whether a user gesture has just happened. */
  isPersons(): boolean
  notePress(): void
  mayGo(url: URL | null, view: Window): boolean
  mayPost(): boolean
}

/** The page's listeners get a replacement event first, since they may change the form's address or method. */
function watchSubmissions(tree: Document | ShadowRoot, rules: Rules): void {
  const view = viewOf(tree)
  const submit = (event: SubmitEvent): void => {
    const { target: form, isTrusted } = event
    const button = event.submitter as Submitter | null
    if (!isTrusted || rules.isPersons() || !isTag(form as Element, 'form')) return
    event.stopImmediatePropagation()
    const submission = { form: form as HTMLFormElement, button }
    const isAllowed =
      native.dispatchEvent(submission.form, submitEvent(button, view)) &&
      rules.mayGo(formTarget(submission), view) &&
      (!isPost(submission) || rules.mayPost())
    if (!isAllowed) event.preventDefault()
  }
  // A `submit` event doesn't leave the form's shadow root.
  const receiver: EventTarget = native.nodeType(tree) === 9 ? view : tree
  const listening = { capture: true, signal: rules.signal }
  receiver.addEventListener('submit', submit as EventListener, listening)
}

/**
 * A `submit` event for the page's listeners. Firefox treats a real `SubmitEvent` as a submission of its own: it submits
 * the form, and drops the event while another one is handled.
 */
function submitEvent(submitter: Submitter | null, view: Window & typeof globalThis): Event {
  const event = new view.UIEvent('submit', { bubbles: true, cancelable: true })
  Object.setPrototypeOf(event, view.SubmitEvent.prototype as object)
  Object.defineProperty(event, 'submitter', { value: submitter })
  standIns.add(event)
  return event
}

/** Checks the window's navigations and new windows. */
function watchNavigations(view: Window, rules: Rules): void {
  const { signal, isPersons, mayGo } = rules
  const note = (event: Event): void => {
    if (isPress(event)) rules.notePress()
  }
  const check = (event: NavigateEvent): void => {
    if (!event.cancelable || (event.userInitiated && isPersons())) return
    const isFine = mayGo(URL.parse(event.destination.url), view)
    if (!isFine || (event.formData && !rules.mayPost())) event.preventDefault()
  }
  for (const type of PRESSES) view.addEventListener(type, note, { capture: true, signal })
  const { navigation } = view as Window & { readonly navigation?: Navigation }
  navigation?.addEventListener('navigate', check, { signal })
  const { open } = view
  const openHere = (url: string | URL = '', ...rest: [string?, string?]): Window | null =>
    isPersons() || mayGo(URL.parse(url, native.baseURI(view.document)), view)
      ? open.call(view, url, ...rest)
      : null
  replaceFunctions(view, { open: openHere }, signal)
}

function isPress(event: Event): boolean {
  if (!event.isTrusted) return false
  return event.type !== 'keydown' || [' ', 'Enter'].includes((event as KeyboardEvent).key)
}

/** `activate`: like `click`, except in a text field, where it is Enter, which submits its form. */
export type Activation = 'click' | 'activate'

/** Whether the tools may lead the page to this address. Protocols other than HTTP don't leave the page. */
export function isAllowedSite(url: URL, view: Window, { origins = [] }: PageOptions): boolean {
  if (!/^https?:$/.test(url.protocol)) return true
  return url.origin === originOf(view) || origins.includes(url.origin)
}

/** Whether the address belongs to another site, or to another program. */
export function leavesSite(url: URL, view: Window): boolean {
  return !/^(javascript|blob|data|about):$/.test(url.protocol) && url.origin !== originOf(view)
}

/** A frame without an address of its own has the origin of the page that made it. */
function originOf(view: Window): string {
  return view.origin === 'null' ? view.location.origin : view.origin
}

/**
 * The address that the element's own link or form leads to. Null if there is none, or a script decides. Browsers differ
 * for a button in a link and a link in a button: an address that leaves the site wins.
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

/** Forms that the action submits. For a field inside a button, browsers differ: Enter may submit the form of either. */
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

function isPost({ form, button }: Submission): boolean {
  return methodOf(form, button) === 'post'
}

/** Returns null for a form that only closes its dialog. */
function formTarget({ form, button }: Submission): URL | null {
  if (methodOf(form, button) === 'dialog') return null
  // A field named `action` would hide the form's own property.
  const address = button?.getAttribute('formaction') ?? native.getAttribute(form, 'action') ?? ''
  return resolved(address, form)
}

/** Throws `outside` when the element leads to a site that `navigate` isn't allowed to go to either. */
export function requireSite(element: Element, how: Activation, { options }: LivePage): void {
  const view = viewOf(element)
  for (const url of [...destinationsOf(element, how), ...pingsOf(element)])
    if (!isAllowedSite(url, view, options)) throw otherSite(url, view)
}

/** Addresses that the browser notifies when the link is followed. */
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

/** The submit button of the element's form that Enter presses. */
export function defaultButtonOf(field: Element): Submitter | null {
  const form = formOf(field)
  if (!form) return null
  for (const one of elementsOf(form)) if (isSubmitter(one)) return one
  return null
}

export type Submitter = HTMLButtonElement | HTMLInputElement

/**
 * The form whose fields an action on the element submits, or a script may read. Also found for a button that submits
 * nothing itself.
 */
export function formSubmittedBy(element: Element, how: Activation): HTMLFormElement | null {
  const button = how === 'activate' ? defaultButtonOf(element) : null
  const around = button ?? submitterOf(element) ?? buttonsAround(element).find(isButton)
  return around?.form ?? (how === 'activate' ? formOf(element) : null)
}

/** The button that submits a form when the element is clicked: itself, or the nearest one around it. */
export function submitterOf(element: Element): Submitter | null {
  return buttonsAround(element).find(isSubmitter) ?? null
}

/** The buttons and inputs that a click on the element reaches, directly or by a label. */
function buttonsAround(element: Element): Element[] {
  return pathOf(element, 'button,input,label').flatMap(
    (one) => (isTag(one, 'label') ? one.control : one) ?? [],
  )
}

function isButton(element: Element): element is Submitter {
  if (isTag(element, 'button')) return true
  return isTag(element, 'input') && /^(button|reset)$/.test(element.type)
}

function isSubmitter(element: Element): element is Submitter {
  if (isTag(element, 'button')) return element.type === 'submit'
  return isTag(element, 'input') && /^(submit|image)$/.test(element.type)
}

/** The form that Enter in the element submits. Null for buttons: Enter presses them. */
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
  return (button?.getAttribute('formmethod') ?? native.getAttribute(form, 'method'))?.toLowerCase()
}

/** The form's fields and buttons. Uses the prototype, since a field may be named `elements`. */
export function elementsOf(form: HTMLFormElement): Element[] {
  const read = Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, 'elements')?.get
  return [...((read?.call(form) ?? []) as Iterable<Element>)]
}
