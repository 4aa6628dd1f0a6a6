import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { viewOf } from '../dom.ts'

/**
 * Puts a text in the place of what is selected. Of `Second <b>one</b>`, Firefox takes the space with `one` when that is
 * the last of its line, and leaves it out before what is typed.
 */
export function keepSpaceBefore(editor: HTMLElement, insert: () => void): void {
  const node = textBeforeSelection(editor)
  const before = node?.data ?? ''
  const kept = before.trimEnd()
  insert()
  if (node && kept !== before && node.data === kept) node.appendData(before.slice(kept.length))
}

/** The text that ends where what is selected begins. */
function textBeforeSelection(editor: HTMLElement): Text | null {
  const selection = viewOf(editor).getSelection()
  if (!selection || selection.isCollapsed) return null
  const { startContainer, startOffset } = selection.getRangeAt(0)
  const isText = native.nodeType(startContainer) === 3
  if (isText && startOffset > 0) return null
  const walker = nativeDocument.createTreeWalker(
    native.ownerDocument(editor),
    editor,
    NodeFilter.SHOW_TEXT,
  )
  walker.currentNode =
    (isText ? null : native.childNodes(startContainer)[startOffset]) ?? startContainer
  return walker.previousNode() as Text | null
}
