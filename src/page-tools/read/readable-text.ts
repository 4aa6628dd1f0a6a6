import { cleanText, escapeMarks, quote } from '../clean-text.ts'
import { childrenOf, isElement, getParent } from '../dom.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../page.ts'
import { excludedSelector, isExcluded } from '../outline/region.ts'
import { isSecretPart, MASKED, maskSelector, hasSecrets } from '../secrets/secret-fields.ts'
import { type UnseenReason, unseenReason } from '../sight/unseen.ts'
import type { TextItem } from '../outline/walk.ts'

/** Elements whose text continues the line around them, without a gap unless the page contains one. */
export const INLINE_TAGS: ReadonlySet<string> = new Set(
  'a,abbr,b,bdi,bdo,cite,code,data,dfn,em,font,i,kbd,mark,q,s,samp,slot,small,span,strong,sub,sup,time,u,var,wbr,label'.split(
    ',',
  ),
)

/** A text of a page, with the mark that says why nobody sees it; empty for visible text. */
interface MarkedText {
  readonly text: string
  readonly mark: string
}

/** Returns `[sr-only]` or `[hidden: too small to see]`; empty for visible text. */
export function markOf(reason: UnseenReason | null): string {
  if (reason === null) return ''
  return reason === 'sr-only' ? '[sr-only]' : `[hidden: ${reason}]`
}

function createMarkedText({ text, visuallyHidden, holder }: TextItem): MarkedText {
  if (text === MASKED || holder.masked) return { text, mark: '' }
  const reason = visuallyHidden ? 'sr-only' : unseenReason(holder.element)
  return { text, mark: markOf(reason) }
}

/** The mark that all texts share; empty when their marks differ. */
export function commonMark(items: readonly TextItem[]): string {
  const marks = new Set(items.map((item) => createMarkedText(item).mark))
  const [mark = ''] = marks
  return marks.size === 1 ? mark : ''
}

/** Joins texts on one line. Texts that nobody sees are in quotes, after the reason. */
export function markedTexts(items: readonly TextItem[]): string {
  return joinMarked(items.map(createMarkedText))
}

/** Joins texts; neighbours with the same mark become one text. */
function joinMarked(parts: readonly MarkedText[]): string {
  const joined: MarkedText[] = []
  for (const { text, mark } of parts) {
    const last = joined.at(-1)
    if (last?.mark === mark) joined[joined.length - 1] = { text: `${last.text} ${text}`, mark }
    else if (text) joined.push({ text, mark })
  }
  return joined
    .map(({ text, mark }) => (mark ? `${mark} ${quote(text)}` : escapeMarks(text)))
    .join(' ')
}

/** The text of an element with spaces between its parts, for comparisons. Masked parts are masked. */
export function readableText(
  element: Element,
  options: PageOptions,
  limit: number = LIMIT,
): string {
  return collectParts(element, options, limit)
    .map(({ text }) => text)
    .join(' ')
}

/** A text in two forms, since a search may be for either: with spaces between its parts, and as on the screen. */
export type TextForms = readonly [spaced: string, joined: string]

/**
 * All readable text of an element, before secrets are removed. Takes a faster way if the element can't hold private
 * parts.
 */
export function comparableTexts(element: Element, options: PageOptions): TextForms {
  const parts = [maskSelector(options), excludedSelector(options), TEXT_FIELDS].join(',')
  const needsReading =
    hasSecrets() || native.matches(element, parts) || native.querySelector(element, parts) !== null
  return needsReading ? readableTexts(element, options) : createForms(plainParts(element))
}

/** All readable text of an element that can be seen. */
export function readableTexts(element: Element, options: PageOptions): TextForms {
  return createForms(collectParts(element, options, Number.POSITIVE_INFINITY))
}

function createForms(parts: readonly PlainPart[]): TextForms {
  let joined = ''
  for (const { text, isGlued } of parts) joined += isGlued || !joined ? text : ` ${text}`
  return [parts.map(({ text }) => text).join(' '), joined]
}

/** All texts in the element, seen or not. */
function plainParts(element: Element): readonly PlainPart[] {
  const parts: PlainPart[] = []
  const gap = new Gap()
  const add = (parent: Element): void => {
    for (let node = native.firstChild(parent); node; node = native.nextSibling(node)) {
      if (native.nodeType(node) === 3) {
        const part = gap.readPart(node)
        if (part) parts.push(part)
      } else if (native.nodeType(node) === 1) {
        gap.edge(node as Element)
        add(node as Element)
        gap.edge(node as Element)
      }
    }
  }
  add(element)
  return parts
}

/** Elements without text to read, although `textContent` includes theirs. */
const UNREAD = ['script', 'style', 'template', 'svg', 'datalist']
/** Elements whose text is a value, or isn't read. */
const TEXT_FIELDS = `textarea,select,[contenteditable],[role=textbox],[role=searchbox],${UNREAD.join(',')}`

/** Text for mentions in one line: it can't look like a mark, and unseen parts are marked. */
export function shownText(element: Element, options: PageOptions): string {
  return joinMarked(
    collectParts(element, options, LIMIT).map(({ text, holder }) => ({
      text,
      mark: holder ? markOf(unseenReason(holder)) : '',
    })),
  )
}

interface PlainPart {
  readonly text: string
  /** Follows the part before it without a gap: `<b>M</b>7003`. */
  readonly isGlued: boolean
}

interface Part extends PlainPart {
  /** Null: masked. */
  readonly holder: Element | null
}

/** Tracks whether there is a gap between two texts: a space, or the edge of a block. */
class Gap {
  #isOpen = true

  /** Call it where an element begins, and where it ends. */
  edge(element: Element): void {
    if (!INLINE_TAGS.has(native.localName(element))) this.#isOpen = true
  }

  readPart(node: Node): PlainPart | null {
    const raw = native.nodeValue(node) ?? ''
    const text = cleanText(raw)
    const isGlued = !this.#isOpen && !/^\s/.test(raw)
    if (raw) this.#isOpen = text ? /\s$/.test(raw) : true
    return text ? { text, isGlued } : null
  }
}

function collectParts(element: Element, options: PageOptions, limit: number): readonly Part[] {
  const parts: Part[] = []
  const gap = new Gap()
  let length = 0
  const add = (node: Node): void => {
    if (length > limit) return
    if (native.nodeType(node) === 3) {
      const part = gap.readPart(node)
      if (part) parts.push({ ...part, holder: getParent(node) })
      length += part?.text.length ?? 0
    } else if (isElement(node) && !UNREAD.includes(native.localName(node))) {
      if (node !== element && (isHidden(node) || isExcluded(node, options))) return
      gap.edge(node)
      if (native.matches(node, maskSelector(options)) || isSecretPart(node))
        parts.push({ text: MASKED, isGlued: false, holder: null })
      else for (const child of childrenOf(node)) add(child)
      gap.edge(node)
    }
  }
  add(element)
  return parts
}

/** Whether the element is hidden. Elements that were removed from the page count as visible. */
function isHidden(element: Element): boolean {
  return (
    native.getAttribute(element, 'aria-hidden') === 'true' ||
    (native.isConnected(element) && !native.checkVisibility(element, { visibilityProperty: true }))
  )
}

const LIMIT = 300
