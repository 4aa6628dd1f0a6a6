import { quoteSent } from '../as-sent.ts'
import { normalize } from '../clean-text.ts'
import { contains, isElement, parentOf, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { livePage, scrubber } from '../outline/live-page.ts'
import { isReadable, rootOf } from '../outline/region.ts'
import type { ActOptions, PageOptions } from '../options.ts'
import { find } from '../read/find.ts'
import { comparableText } from '../read/readable-text.ts'
import { isMasked } from '../privacy.ts'
import { nextFrame, sleep } from '../waiting.ts'
import { describeElement } from './describe.ts'
import { estimateScrollTop, sampleScroll, type ScrollSample } from './numbered-items.ts'
import { perform, type ActionContext, type ActionReport, type ActionOutcome } from './perform.ts'
import { scrollIntoView } from './make-ready.ts'
import { resolveTarget, type Target } from './target.ts'

export interface ScrollOptions extends ActOptions {
  /** What is scrolled, or scrolled to when there is no direction. Default: the page. */
  readonly target?: Target
  /** By most of what is visible, or to an end. */
  readonly direction?: 'up' | 'down' | 'left' | 'right' | 'top' | 'bottom'
  /** Go on until this text appears: for lists that draw only what is in view. */
  readonly until?: string
}

/** How long a list is searched in one call. Milliseconds. */
const SEARCH_MS = 8000
/** How often the position of a numbered item is estimated before the list is scrolled page by page. */
const MAX_ESTIMATES = 12
/** How long a list may take to load more at its end. Milliseconds. */
const LOAD_MS = 800

export async function scroll(options: ScrollOptions = {}): Promise<ActionReport> {
  const { page, signal, target, direction, until } = options
  const live = livePage(page)
  const element =
    target === undefined
      ? null
      : await resolveTarget(target, { page, live, signal, readOnly: true })
  return perform(options, async (context) => {
    if (element && !direction && !until) {
      scrollIntoView(element)
      return { summary: `Scrolled to ${describeElement(element, live)}.`, expectsChange: false }
    }
    const scroller = scrollerOf(element ?? rootOf(live.options))
    if (until) return scrollUntil(scroller, until, { context, options })
    const moved = move(scroller, direction ?? 'down')
    return {
      summary: moved
        ? `Scrolled ${direction ?? 'down'}${position(scroller)}.`
        : 'It is at its end already.',
      expectsChange: false,
    }
  })
}

async function scrollUntil(
  scroller: Element,
  text: string,
  { context, options }: { readonly context: ActionContext; readonly options: ScrollOptions },
): Promise<ActionOutcome> {
  const { live, signal } = context
  const direction = options.direction ?? 'down'
  const until = performance.now() + SEARCH_MS
  const start = native.scrollTop(scroller)
  let samples: readonly (ScrollSample | null)[] = []
  for (let step = 0; performance.now() < until; step += 1) {
    const clean = scrubber(live)
    const read = (one: Element): string => normalize(clean(textIn(one, live.options)))
    const element = innermostHolder(scroller, normalize(text), read)
    if (element) {
      scrollIntoView(element)
      const [found] = await find({ text }, options)
      return {
        summary: `Found ${found?.line ?? describeElement(element, live)}.`,
        expectsChange: false,
      }
    }
    if (step === MAX_ESTIMATES) native.scrollTo(scroller, { top: start })
    samples = [
      samples.at(-1) ?? null,
      step < MAX_ESTIMATES
        ? sampleScroll(text, { scrollTop: native.scrollTop(scroller), textContent: read(scroller) })
        : null,
    ]
    const moved = jumpToNumber(scroller, text, samples) || move(scroller, direction)
    if (!moved && !(await loadsMore(scroller, direction, signal)))
      return { summary: `${notFound(scroller, text)} That is the end.`, expectsChange: false }
    for (let frame = 0; frame < 2; frame += 1) await nextFrame(viewOf(scroller))
    signal?.throwIfAborted()
  }
  const summary = `${notFound(scroller, text)} The list goes on: the same call searches further.`
  return { summary, expectsChange: false }
}

function notFound(scroller: Element, text: string): string {
  return `${quoteSent(text)} did not appear up to here${position(scroller)}.`
}

/** Scrolls straight to the estimated position of a numbered item. Returns false without an estimate. */
function jumpToNumber(
  scroller: Element,
  text: string,
  [before, now]: readonly (ScrollSample | null)[],
): boolean {
  const top = before && now ? estimateScrollTop(text, before, now) : null
  if (top === null) return false
  const scrollTop = native.scrollTop(scroller)
  native.scrollTo(scroller, { top })
  return native.scrollTop(scroller) !== scrollTop
}

/** Whether the list loads more at its end. */
async function loadsMore(
  scroller: Element,
  direction: NonNullable<ScrollOptions['direction']>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const end = performance.now() + LOAD_MS
  while (performance.now() < end) {
    await sleep(50, signal)
    if (move(scroller, direction)) return true
  }
  return false
}

/** What may be read of an element, which may be around all that may be. */
function textIn(element: Element, options: PageOptions): string {
  const root = rootOf(options)
  if (contains(element, root)) return comparableText(root, options)
  const isShown = isReadable(element, options) && !isMasked(element, options)
  return isShown ? comparableText(element, options) : ''
}

/** The innermost element that shows the text, by what may be read of it. */
function innermostHolder(
  scroller: Element,
  text: string,
  read: (element: Element) => string,
): Element | null {
  const shows = (element: Element): boolean =>
    containsText(normalize(native.textContent(element)), text) && containsText(read(element), text)
  if (!shows(scroller)) return null
  let at = scroller
  for (;;) {
    const inner = [...native.children(at)].find(shows)
    if (!inner) return at
    at = inner
  }
}

/** "Row 7" isn't in "Row 70". */
function containsText(shown: string, text: string): boolean {
  const digit = /\d$/.test(text)
  for (let at = shown.indexOf(text); at >= 0; at = shown.indexOf(text, at + 1))
    if (!digit || !/\d/.test(shown[at + text.length] ?? '')) return true
  return false
}

/**
 * The element or its nearest ancestor that scrolls; else its largest descendant that scrolls; else the
 * page.
 */
function scrollerOf(element: Element): Element {
  const ownerDocument = native.ownerDocument(element)
  const page =
    nativeDocument.scrollingElement(ownerDocument) ?? nativeDocument.documentElement(ownerDocument)
  if (
    element === nativeDocument.body(ownerDocument) &&
    native.scrollHeight(page) > native.clientHeight(page) + 1
  )
    return page
  for (let at: Element | null = element; at; at = parentOf(at)) if (scrolls(at)) return at
  const inside = [...native.querySelectorAll(element, '*')].filter(
    (one) => isElement(one) && scrolls(one),
  )
  return inside.toSorted((a, b) => area(b) - area(a))[0] ?? page
}

function scrolls(element: Element): boolean {
  if (
    native.scrollHeight(element) <= native.clientHeight(element) + 1 &&
    native.scrollWidth(element) <= native.clientWidth(element) + 1
  )
    return false
  const { overflowX, overflowY } = viewOf(element).getComputedStyle(element)
  return /auto|scroll/.test(overflowX + overflowY)
}

function area(element: Element): number {
  return native.clientWidth(element) * native.clientHeight(element)
}

/** Scrolls; returns false when the position is the same. */
function move(scroller: Element, direction: NonNullable<ScrollOptions['direction']>): boolean {
  const [scrollTop, scrollLeft] = [native.scrollTop(scroller), native.scrollLeft(scroller)]
  const scrollHeight = native.scrollHeight(scroller)
  const page = native.clientHeight(scroller) * 0.85
  const wide = native.clientWidth(scroller) * 0.85
  const [x, y] = {
    up: [0, -page],
    down: [0, page],
    left: [-wide, 0],
    right: [wide, 0],
    top: [0, -scrollHeight],
    bottom: [0, scrollHeight],
  }[direction] as [number, number]
  native.scrollBy(scroller, { left: x, top: y, behavior: 'instant' })
  return native.scrollTop(scroller) !== scrollTop || native.scrollLeft(scroller) !== scrollLeft
}

function position(scroller: Element): string {
  const end = Math.max(0, native.scrollHeight(scroller) - native.clientHeight(scroller))
  return ` (now at ${Math.round(native.scrollTop(scroller))} of ${end} px)`
}
