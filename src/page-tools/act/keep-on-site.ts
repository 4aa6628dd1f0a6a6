import { isTag, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../options.ts'
import { replaceFunctions } from './replace-functions.ts'
import { formTarget, isAllowedSite, isPost, type Submitter } from './sites.ts'

export interface SiteWatch {
  /** Report lines: the sites that the page was kept from opening. */
  lines(): string[]
  /** Throws the first error of `checkPost`, if the page tried to submit a form that it rejects. */
  requireNoPost(): void
  stop(): void
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
 * During an action, cancels submissions, new windows and navigations to other sites that scripts of the page start.
 * Navigations are canceled only in browsers with the Navigation API. Also cancels POST submissions for which
 * `checkPost` throws. Leaves alone whatever follows a user gesture, since scripts can't fake a trusted event.
 * `userInitiated` isn't enough: it is also true for a form that a script's click submits.
 */
export function keepOnSite(
  trees: Iterable<Document | ShadowRoot>,
  options: PageOptions,
  checkPost: () => void,
): SiteWatch {
  const kept = new Set<string>()
  const problems: unknown[] = []
  // Listeners are removed by a signal: `removeEventListener` fails on a window that now shows another site.
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
  // A `submit` event doesn't leave the form's shadow root.
  const receiver: EventTarget = native.nodeType(tree) === 9 ? view : tree
  const listening = { capture: true, signal: rules.signal }
  receiver.addEventListener('submit', submit as EventListener, listening)
}

/** Checks the window's navigations and new windows. Returns the function that restores its `open`. */
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
