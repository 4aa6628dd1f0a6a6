import { normalize, quoteSent } from '../clean-text.ts'
import { contains, isElement, getParent, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { livePage, type LivePage, scrubber } from '../outline/live-page.ts'
import { isReadable, rootOf } from '../outline/region.ts'
import { type ActOptions, type PageOptions, PageError } from '../page.ts'
import { find } from '../read/find.ts'
import { comparableTexts, type TextForms } from '../read/readable-text.ts'
import { isMasked } from '../secrets/secret-fields.ts'
import { createTimeLimit, nextFrame, poll } from '../waiting.ts'
import { describeElement, resolveTarget, type Target } from './target.ts'
import { isOnScreen } from './hit-test.ts'
import { type ActionOutcome, type ActionReport, perform } from './perform.ts'
import type { ActionContext } from './guard-actions.ts'
import { scrollIntoView } from './make-ready.ts'

/** Options of `scroll`: an element, a direction, or a text to search for. */
export interface ScrollOptions extends ActOptions {
  /** Element to scroll, or to scroll to when there is no direction. Default: the page. */
  readonly target?: Target
  /** Up, down, left and right scroll by most of the visible part; top and bottom scroll to that end. */
  readonly direction?: 'up' | 'down' | 'left' | 'right' | 'top' | 'bottom'
  /** Keeps scrolling until this text appears, for lists that render only the part in view. */
  readonly until?: string
}

/** How long a list is searched in one call. Milliseconds. */
const SEARCH_MS = 8000
/** Minimum steps of a search, so that a slow page is searched for longer. */
const LEAST_STEPS = 100
const LONGEST_SEARCH_MS = 30_000
/** How often the position of a numbered item is estimated before the list is scrolled page by page. */
const MAX_ESTIMATES = 12
/** How long a list may take to load more at its end. Milliseconds. */
const LOAD_MS = 800

export async function scroll(options: ScrollOptions = {}): Promise<ActionReport> {
  const { page, target, direction, until } = options
  const live = livePage(page)
  const element =
    target === undefined ? null : await resolveTarget(target, { ...options, readOnly: true })
  return perform(options, async (context) => {
    if (element && !direction && !until) {
      scrollIntoView(element)
      return { summary: () => reportScroll(element, live), expectsChange: false }
    }
    const scroller = findScroller(element ?? rootOf(live.options))
    if (until) return scrollUntil(scroller, until, { context, options })
    const before = readPosition(scroller)
    const moved = scrollOnce(scroller, direction ?? 'down')
    return {
      summary: () => {
        if (!moved) return 'It is at its end already.'
        if (readPosition(scroller) !== before)
          return `Scrolled ${direction ?? 'down'}${describePosition(scroller)}.`
        throw new PageError(
          'unsupported',
          `The page scrolled it back${describePosition(scroller)}.`,
        )
      },
      expectsChange: false,
    }
  })
}

/** Reports once the page has settled: it may have scrolled back, or not at all. */
function reportScroll(element: Element, live: LivePage): string {
  const name = describeElement(element, live)
  if (!native.isConnected(element)) return `Scrolled to ${name}; the page replaced it since.`
  if (isOnScreen(element)) return `Scrolled to ${name}.`
  throw new PageError('unsupported', `${name} is not in view: the page did not scroll to it.`)
}

function readPosition(scroller: Element): string {
  return `${native.scrollLeft(scroller)} ${native.scrollTop(scroller)}`
}

async function scrollUntil(
  scroller: Element,
  text: string,
  { context, options }: { readonly context: ActionContext; readonly options: ScrollOptions },
): Promise<ActionOutcome> {
  const { live, signal } = context
  const direction = options.direction ?? 'down'
  const isOver = createSearchLimit()
  const waitForMore = (): Promise<boolean> =>
    poll(() => scrollOnce(scroller, direction), createTimeLimit(LOAD_MS), { signal })
  const start = native.scrollTop(scroller)
  let samples: readonly (ScrollSample | null)[] = []
  let hasJumped = false
  // If there is no direction, the part before the start is searched, too.
  let isBeforeStart = false
  for (let step = 0; !isOver(); step += 1) {
    const clean = scrubber(live)
    const readCleaned = (candidate: Element): TextForms => {
      const [spaced, joined] = getTexts(candidate, live.options)
      return [normalize(clean(spaced)), normalize(clean(joined))]
    }
    const element = findInnermostHolder(scroller, normalize(text), readCleaned)
    if (element) return createFoundOutcome(element, text, { live, options })
    if (step === MAX_ESTIMATES && hasJumped) native.scrollTo(scroller, start)
    const canJump = step < MAX_ESTIMATES && !isBeforeStart
    samples = [
      samples.at(-1) ?? null,
      canJump
        ? sampleScroll(text, {
            scrollTop: native.scrollTop(scroller),
            textContent: readCleaned(scroller)[0],
          })
        : null,
    ]
    const jumped = canJump && jumpToNumber(scroller, text, samples)
    hasJumped ||= jumped
    const isAtStart = isBeforeStart && native.scrollTop(scroller) >= start
    const moved = !isAtStart && (jumped || scrollOnce(scroller, direction))
    if (!moved && (isAtStart || !(await waitForMore()))) {
      // Jumps skip parts of the list: search it page by page now.
      if (hasJumped && step < MAX_ESTIMATES) step = MAX_ESTIMATES - 1
      // Continues before the start. A list that grows from its end has position 0 at its end.
      else if (
        !options.direction &&
        !isBeforeStart &&
        (start > 1 || native.scrollTop(scroller) < 1)
      ) {
        isBeforeStart = true
        scrollOnce(scroller, 'top')
      } else
        return createEndOutcome(scroller, text, { direction, start, isWhole: !options.direction })
    }
    for (let frame = 0; frame < 2; frame += 1) await nextFrame(viewOf(scroller))
    signal?.throwIfAborted()
  }
  const summary = `${describeNotFound(scroller, text)} The list goes on: the same call searches further.`
  return { summary, expectsChange: false }
}

/** Returns a function that counts a step, and says whether the search must end. */
function createSearchLimit(): () => boolean {
  const start = performance.now()
  let steps = 0
  return () => {
    const elapsedMs = performance.now() - start
    steps += 1
    return elapsedMs > LONGEST_SEARCH_MS || (elapsedMs > SEARCH_MS && steps > LEAST_STEPS)
  }
}

async function createFoundOutcome(
  element: Element,
  text: string,
  { live, options }: { readonly live: LivePage; readonly options: ScrollOptions },
): Promise<ActionOutcome> {
  scrollIntoView(element)
  const [found] = await find({ text }, options)
  const line = found?.line ?? describeElement(element, live)
  const summary = (): string =>
    native.isConnected(element) && isOnScreen(element)
      ? `Found ${line}.`
      : `Found ${line}, but the page did not stay there.`
  return { summary, expectsChange: false }
}

function createEndOutcome(
  scroller: Element,
  text: string,
  {
    direction,
    start,
    isWhole,
  }: { readonly direction: string; readonly start: number; readonly isWhole: boolean },
): ActionOutcome {
  const extent = isWhole
    ? ': all of it was searched'
    : start > 1
      ? ` ${direction} of where it began, at ${Math.round(start)} px`
      : ''
  const endNote = ` That is the end${extent}.`
  return { summary: describeNotFound(scroller, text) + endNote, expectsChange: false }
}

function describeNotFound(scroller: Element, text: string): string {
  return `${quoteSent(text)} did not appear${describePosition(scroller)}.`
}

/** Scrolls straight to the estimated position of a numbered item. Returns false without an estimate. */
function jumpToNumber(
  scroller: Element,
  text: string,
  [before, after]: readonly (ScrollSample | null)[],
): boolean {
  const top = before && after ? estimateScrollTop(text, before, after) : null
  if (top === null) return false
  const scrollTop = native.scrollTop(scroller)
  native.scrollTo(scroller, top)
  return native.scrollTop(scroller) !== scrollTop
}

/** Readable text of an element. For an element around the page's root, the text of the root. */
function getTexts(element: Element, options: PageOptions): TextForms {
  const root = rootOf(options)
  if (contains(element, root)) return comparableTexts(root, options)
  const isShown = isReadable(element, options) && !isMasked(element, options)
  return isShown ? comparableTexts(element, options) : ['', '']
}

/** Finds the innermost element whose readable text contains the text. */
function findInnermostHolder(
  scroller: Element,
  text: string,
  readTexts: (element: Element) => TextForms,
): Element | null {
  const letters = removeSpaces(text)
  const hasText = (element: Element): boolean =>
    removeSpaces(normalize(native.textContent(element))).includes(letters) &&
    readTexts(element).some((candidate) => containsText(candidate, text))
  if (!hasText(scroller)) return null
  let current = scroller
  for (;;) {
    const inner = [...native.children(current)].find(hasText)
    if (!inner) return current
    current = inner
  }
}

function removeSpaces(text: string): string {
  return text.replaceAll(' ', '')
}

/**
 * Finds what to scroll: the element or its nearest scrollable ancestor, otherwise its largest scrollable descendant,
 * otherwise the page.
 */
function findScroller(element: Element): Element {
  const ownerDocument = native.ownerDocument(element)
  const page =
    nativeDocument.scrollingElement(ownerDocument) ?? nativeDocument.documentElement(ownerDocument)
  if (
    element === nativeDocument.body(ownerDocument) &&
    native.scrollHeight(page) > native.clientHeight(page) + 1
  )
    return page
  for (let ancestor: Element | null = element; ancestor; ancestor = getParent(ancestor))
    if (isScrollable(ancestor)) return ancestor
  const descendants = [...native.querySelectorAll(element, '*')].filter(
    (candidate) => isElement(candidate) && isScrollable(candidate),
  )
  return descendants.toSorted((a, b) => getArea(b) - getArea(a))[0] ?? page
}

function isScrollable(element: Element): boolean {
  if (
    native.scrollHeight(element) <= native.clientHeight(element) + 1 &&
    native.scrollWidth(element) <= native.clientWidth(element) + 1
  )
    return false
  const { overflowX, overflowY } = viewOf(element).getComputedStyle(element)
  return /auto|scroll/.test(overflowX + overflowY)
}

function getArea(element: Element): number {
  return native.clientWidth(element) * native.clientHeight(element)
}

/** Scrolls. Returns false if the position didn't change. */
function scrollOnce(
  scroller: Element,
  direction: NonNullable<ScrollOptions['direction']>,
): boolean {
  const [scrollTop, scrollLeft] = [native.scrollTop(scroller), native.scrollLeft(scroller)]
  const scrollHeight = native.scrollHeight(scroller)
  const pageHeight = native.clientHeight(scroller) * 0.85
  const pageWidth = native.clientWidth(scroller) * 0.85
  const [x, y] = {
    up: [0, -pageHeight],
    down: [0, pageHeight],
    left: [-pageWidth, 0],
    right: [pageWidth, 0],
    top: [0, -scrollHeight],
    bottom: [0, scrollHeight],
  }[direction] as [number, number]
  native.scrollBy(scroller, { left: x, top: y, behavior: 'instant' })
  return native.scrollTop(scroller) !== scrollTop || native.scrollLeft(scroller) !== scrollLeft
}

function describePosition(scroller: Element): string {
  const end = Math.max(0, native.scrollHeight(scroller) - native.clientHeight(scroller))
  return ` (now at ${Math.round(native.scrollTop(scroller))} of ${end} px)`
}

/** The number that a list showed at a scroll position. */
interface ScrollSample {
  readonly top: number
  readonly number: number
}

/** The number that the list shows now, in items that differ from the wanted item only by their number. */
export function sampleScroll(
  text: string,
  { scrollTop, textContent }: Pick<Element, 'scrollTop' | 'textContent'>,
): ScrollSample | null {
  const pattern = numberPattern(text)
  if (!pattern) return null
  const numbers = [...normalize(textContent).matchAll(pattern)].map(([, digits]) => Number(digits))
  const number = numbers[Math.floor(numbers.length / 2)]
  return number === undefined ? null : { top: scrollTop, number }
}

/** The scroll position of the wanted number, if the numbers continue evenly. */
export function estimateScrollTop(
  text: string,
  before: ScrollSample,
  after: ScrollSample,
): number | null {
  const number = Number(/\d+/.exec(text)?.[0] ?? Number.NaN)
  const heightPerItem = (after.top - before.top) / (after.number - before.number)
  const top = after.top + (number - after.number) * heightPerItem
  return Number.isFinite(top) && Math.abs(top - after.top) > 1 ? top : null
}

/** A pattern for the wanted text with any number; null for texts with no number or several. */
function numberPattern(text: string): RegExp | null {
  const parts = normalize(text).split(/\d+/)
  if (parts.length !== 2) return null
  const [before = '', after = ''] = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`${before}(\\d+)${after}`, 'g')
}

/**
 * Whether a normalised text occurs in another, with complete numbers: "Row 7" isn't in "Row 70", and "70" not in "170".
 */
function containsText(content: string, text: string): boolean {
  const [first, last] = [/^\d/.test(text), /\d$/.test(text)]
  for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + 1)) {
    const isCut =
      (first && /\d/.test(content[at - 1] ?? '')) ||
      (last && /\d/.test(content[at + text.length] ?? ''))
    if (!isCut) return true
  }
  return false
}
