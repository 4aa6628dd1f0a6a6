import { focusedElement, frameOf, isElement } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'

/** Whether keys go to the element: it is focused in its document, and so is each frame around it. */
export function hasFocus(element: Element): boolean {
  const document = native.ownerDocument(element)
  return focusedElement(document) === element && frameHasFocus(document)
}

/** Focuses the element without scrolling; first the frames around it, as the body of a frame counts as focused in it. */
export function focusElement(element: HTMLElement): void {
  focusFrame(native.ownerDocument(element))
  native.focus(element, { preventScroll: true })
}

/** Focuses the frames around a document. Its own focus stays as it is. */
export function focusFrame(document: Document): void {
  const frame = frameOf(document)
  if (!isElement(frame) || frameHasFocus(document)) return
  focusFrame(native.ownerDocument(frame))
  native.focus(frame, { preventScroll: true })
}

function frameHasFocus(document: Document): boolean {
  const frame = frameOf(document)
  if (!frame) return true
  const outer = native.ownerDocument(frame)
  return nativeDocument.activeElement(outer) === frameInTree(frame) && frameHasFocus(outer)
}

/** The frame as its document's `activeElement` shows it: in a shadow root, the outermost host. */
function frameInTree(frame: Element): Element {
  let at = frame
  for (let root = native.getRootNode(at); 'host' in root; root = native.getRootNode(at))
    at = (root as ShadowRoot).host
  return at
}
