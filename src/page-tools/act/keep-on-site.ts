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
  const { signal } = watching
  const putBack: (() => void)[] = []
  const mayPost = (): boolean => {
    try {
      checkPost()
      return true
    } catch (error) {
      problems.push(error)
      return false
    }
  }
  let pressedAt = -Infinity
  const isPersons = (): boolean => performance.now() - pressedAt < PRESS_MS
  const note = (event: Event): void => {
    if (isPress(event)) pressedAt = performance.now()
  }
  for (const tree of trees) {
    const view = viewOf(tree)
    const mayGo = (url: URL | null): boolean => {
      if (!url || isAllowedSite(url, view, options)) return true
      kept.add(url.origin)
      return false
    }
    // A listener may change the form's address or method: those of the page get an event of ours first.
    const submit = (event: SubmitEvent): void => {
      const { target: form, isTrusted } = event
      const button = event.submitter as Submitter | null
      if (!isTrusted || isPersons() || !isTag(form as Element, 'form')) return
      event.stopImmediatePropagation()
      const details = { bubbles: true, cancelable: true, submitter: button }
      const standIn = new view.SubmitEvent('submit', details)
      standIns.add(standIn)
      const submission = { form: form as HTMLFormElement, button }
      const goesOn = native.dispatchEvent(submission.form, standIn)
      if (goesOn && mayGo(formTarget(submission)) && (!isPost(submission) || mayPost())) return
      event.preventDefault()
    }
    const check = (event: NavigateEvent): void => {
      if (!event.cancelable || (event.userInitiated && isPersons())) return
      if (mayGo(URL.parse(event.destination.url)) && (!event.formData || mayPost())) return
      event.preventDefault()
    }
    const listening = { capture: true, signal }
    if (native.nodeType(tree) !== 9) {
      tree.addEventListener('submit', submit as EventListener, listening)
      continue
    }
    for (const type of PRESSES) view.addEventListener(type, note, listening)
    view.addEventListener('submit', submit, listening)
    const { navigation } = view as Window & { readonly navigation?: Navigation }
    navigation?.addEventListener('navigate', check, { signal })
    const { open } = view
    const openHere = (url: string | URL = '', ...rest: [string?, string?]): Window | null =>
      isPersons() || mayGo(URL.parse(url, native.baseURI(view.document)))
        ? open.call(view, url, ...rest)
        : null
    putBack.push(replaceFunctions(view, { open: openHere }))
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

function isPress(event: Event): boolean {
  if (!event.isTrusted) return false
  return event.type !== 'keydown' || [' ', 'Enter'].includes((event as KeyboardEvent).key)
}
