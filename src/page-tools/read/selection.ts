import { cleanText, shorten } from '../clean-text.ts'
import { contains, focusedElement, isElement, parentOf, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { livePage, type LivePage, scrub, treesOf } from '../outline/live-page.ts'
import type { ActOptions, PageOptions } from '../options.ts'
import { isMasked, MASKED } from '../privacy.ts'
import { isReadable, rootOf } from '../outline/region.ts'
import { findPhrases } from '../secrets/phrase-parts.ts'
import { unseenReason } from '../sight/unseen.ts'

const LIMIT = 4000

/** The text that a person has selected, in the page or in a field. Empty when there is none. */
export function readSelection(options: ActOptions = {}): string {
  const live = livePage(options.page)
  const root = rootOf(live.options)
  findPhrases(treesOf(live))
  const field = focusedElement(native.ownerDocument(root))
  const text =
    (field && selectionInField(field, live)) ?? selectionInPage(native.ownerDocument(root), live)
  return scrub(shorten(cleanText(text), LIMIT), live)
}

/** Null when the focus isn't in a field with a selection. */
function selectionInField(field: Element, { options }: LivePage): string | null {
  const { selectionStart, selectionEnd, value } = field as Partial<HTMLInputElement>
  if (typeof selectionStart !== 'number' || typeof selectionEnd !== 'number') return null
  if (selectionStart === selectionEnd || !isReadable(field, options)) return null
  return isMasked(field, options) ? MASKED : (value ?? '').slice(selectionStart, selectionEnd)
}

function selectionInPage(document: Document, { options }: LivePage): string {
  const selection = viewOf(document).getSelection()
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return ''
  const range = selection.getRangeAt(0)
  const within = isElement(range.commonAncestorContainer)
    ? range.commonAncestorContainer
    : parentOf(range.commonAncestorContainer)
  if (!within) return ''
  return textsIn(range, within)
    .map(({ text, parent }) =>
      isTold(parent, options) ? (isMasked(parent, options) ? MASKED : text) : '',
    )
    .join(' ')
}

/** What nobody sees was selected together with what is around it, unknowingly. */
function isTold(parent: Element, options: PageOptions): boolean {
  return isReadable(parent, options) && unseenReason(parent) === null
}

function textsIn(range: Range, within: Element): { text: string; parent: Element }[] {
  const walker = nativeDocument.createTreeWalker(
    native.ownerDocument(within),
    within,
    NodeFilter.SHOW_TEXT,
  )
  const texts: { text: string; parent: Element }[] = []
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = parentOf(node)
    if (!parent || !range.intersectsNode(node) || !contains(within, node)) continue
    const all = native.nodeValue(node) ?? ''
    const start = node === range.startContainer ? range.startOffset : 0
    const end = node === range.endContainer ? range.endOffset : all.length
    if (all.slice(start, end).trim() && native.checkVisibility(parent))
      texts.push({ text: all.slice(start, end), parent })
  }
  return texts
}
