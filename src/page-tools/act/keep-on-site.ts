import { isTag, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../options.ts'
import { replaceFunctions } from './replace-functions.ts'
import { formTarget, isAllowedSite, isPost, type Submitter } from './sites.ts'

export interface SiteWatch {
  /** The lines of the report: where the page was kept from going. */
  lines(): string[]
  /** Throws what `checkPost` threw when the page submitted a form. */
  requireNoPost(): void
  stop(): void
}

/** How long what a person pressed may take to lead somewhere. Milliseconds. */
const PRESS_MS = 2000
const PRESSES = ['pointerdown', 'pointerup', 'keydown']

const standIns = new WeakSet<Event>()

/** Whether the page gets this `submit` event in place of the browser's own. */
export function isStandIn(event: Event): boolean {
  return standIns.has(event)
}

/**
 * Cancels what scripts of the page begin during an action: submissions, new windows and, in browsers with the Navigation
 * API, navigations to other sites; and submissions by POST about which `checkPost` throws. A person's own are not
 * touched: those after a press that no script can make. (`userInitiated` is true as well of a form that a script's click
 * submits.)
 */
export function keepOnSite(
  trees: Iterable<Document | ShadowRoot>,
  options: PageOptions,
  checkPost: () => void,
): SiteWatch {
  const kept = new Set<string>()
  const problems: unknown[] = []
  // A window that has gone to another site takes no listener back.
  const watching = new AbortController()
  const putBack: (() => void)[] = []
  let pressedAt = -Infinity
  const rules: Rules = {
    signal: watching.signal,
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
    if (native.nodeType(tree) === 9) putBack.push(watchNavigations(viewOf(tree), rules))
  }
  return {
    lines: () =>
      [...kept].map(
        (origin) => `The page tried to go to ${origin}, another site: that is not allowed.`,
      ),
    requireNoPost() {
      if (problems.length > 0) throw problems[0]
    },
    stop() {
      watching.abort()
      for (const put of putBack) put()
    },
  }
}

interface Rules {
  readonly signal: AbortSignal
  /** A person has pressed something just now. */
  isPersons(): boolean
  notePress(): void
  mayGo(url: URL | null, view: Window): boolean
  mayPost(): boolean
}

/** A listener may change the form's address or method: those of the page get an event of ours first. */
function watchSubmissions(tree: Document | ShadowRoot, rules: Rules): void {
  const view = viewOf(tree)
  const submit = (event: SubmitEvent): void => {
    const { target: form, isTrusted } = event
    const button = event.submitter as Submitter | null
    if (!isTrusted || rules.isPersons() || !isTag(form as Element, 'form')) return
    event.stopImmediatePropagation()
    const details = { bubbles: true, cancelable: true, submitter: button }
    const standIn = new view.SubmitEvent('submit', details)
    standIns.add(standIn)
    const submission = { form: form as HTMLFormElement, button }
    const goesOn =
      native.dispatchEvent(submission.form, standIn) &&
      rules.mayGo(formTarget(submission), view) &&
      (!isPost(submission) || rules.mayPost())
    if (!goesOn) event.preventDefault()
  }
  // The event of a form in a shadow root doesn't leave it.
  const receiver: EventTarget = native.nodeType(tree) === 9 ? view : tree
  const listening = { capture: true, signal: rules.signal }
  receiver.addEventListener('submit', submit as EventListener, listening)
}

/** Returns what puts the window's `open` back. */
function watchNavigations(view: Window, rules: Rules): () => void {
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
  return replaceFunctions(view, { open: openHere })
}

function isPress(event: Event): boolean {
  if (!event.isTrusted) return false
  return event.type !== 'keydown' || [' ', 'Enter'].includes((event as KeyboardEvent).key)
}
