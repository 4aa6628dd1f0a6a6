import { cleanText, shorten } from '../clean-text.ts'
import { contains, focusedElement, isElement, parentOf, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { livePage, scrubber } from '../outline/live-page.ts'
import type { ActOptions, PageOptions } from '../options.ts'
import { isMasked, MASKED } from '../privacy.ts'
import { isReadable, rootOf } from '../outline/region.ts'
import { unseenReason } from '../sight/unseen.ts'
import { textInRange } from './long-text.ts'

const LIMIT = 4000

/** Returns the text that a person has selected, in the page or in a field. Empty: none. */
export function readSelection(options: ActOptions = {}): string {
  const live = livePage(options.page)
  const root = rootOf(live.options)
  const field = focusedElement(native.ownerDocument(root))
  const seen = { options: live.options, clean: scrubber(live) }
  const text =
    (field && selectionInField(field, seen)) ?? selectionInPage(native.ownerDocument(root), seen)
  return seen.clean(shorten(cleanText(text), LIMIT))
}

interface Seen {
  readonly options: PageOptions
  /** Removes secrets. */
  readonly clean: (text: string) => string
}

/** Null when the focus isn't in a field with a selection. */
function selectionInField(field: Element, { options, clean }: Seen): string | null {
  const { selectionStart, selectionEnd, value } = field as Partial<HTMLInputElement>
  if (typeof selectionStart !== 'number' || typeof selectionEnd !== 'number') return null
  if (selectionStart === selectionEnd || !isReadable(field, options)) return null
  if (isMasked(field, options)) return MASKED
  return textInRange(field, value ?? '', { from: selectionStart, to: selectionEnd, clean })
}

function selectionInPage(document: Document, { options, clean }: Seen): string {
  const selection = viewOf(document).getSelection()
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return ''
  const range = selection.getRangeAt(0)
  const within = isElement(range.commonAncestorContainer)
    ? range.commonAncestorContainer
    : parentOf(range.commonAncestorContainer)
  if (!within) return ''
  return textsIn(range, within)
    .map(({ all, from, to, parent }) => {
      if (!isTold(parent, options)) return ''
      if (isMasked(parent, options)) return MASKED
      const isWhole = from === 0 && to === all.length
      return isWhole ? all : textInRange(parent, all, { from, to, clean })
    })
    .join(' ')
}

/** Whether the text is reported. Unseen text was selected unknowingly, with the text around it. */
function isTold(parent: Element, options: PageOptions): boolean {
  return isReadable(parent, options) && unseenReason(parent) === null
}

interface SelectedText {
  /** The whole text, of which a part is selected. */
  readonly all: string
  readonly from: number
  readonly to: number
  readonly parent: Element
}

function textsIn(range: Range, within: Element): readonly SelectedText[] {
  const walker = nativeDocument.createTreeWalker(
    native.ownerDocument(within),
    within,
    NodeFilter.SHOW_TEXT,
  )
  const texts: SelectedText[] = []
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = parentOf(node)
    if (!parent || !range.intersectsNode(node) || !contains(within, node)) continue
    const all = native.nodeValue(node) ?? ''
    const from = node === range.startContainer ? range.startOffset : 0
    const to = node === range.endContainer ? range.endOffset : all.length
    if (all.slice(from, to).trim() && native.checkVisibility(parent))
      texts.push({ all, from, to, parent })
  }
  return texts
}
