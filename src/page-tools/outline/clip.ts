import { isTag } from '../dom.ts'
import * as native from '../native.ts'
import type { Box, OutlineNode } from './outline-node.ts'
import { clipsContent, type Visibility } from './visibility.ts'

/** The visible part of a frame. */
export function viewport(view: Window): Box {
  return { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight }
}

/** The visible part of an element's content; null when there is none. */
export function clipInside(
  { element, inView, context }: OutlineNode,
  visibility: Visibility,
): Box | null {
  const { clip } = context
  if (!inView) return visibility.fixed ? clip : null
  if (!clip || isTag(element, 'body') || !clipsContent(visibility)) return clip
  const box = native.getBoundingClientRect(element)
  return {
    left: Math.max(clip.left, box.left),
    top: Math.max(clip.top, box.top),
    right: Math.min(clip.right, box.right),
    bottom: Math.min(clip.bottom, box.bottom),
  }
}

/** Whether a part of the element is in view. Always true for an element without a box: its content decides. */
export function isInView(element: Element, clip: Box | null): boolean {
  if (!clip) return false
  const box = native.getBoundingClientRect(element)
  if (box.width === 0 || box.height === 0) return true
  return (
    box.bottom > clip.top && box.top < clip.bottom && box.right > clip.left && box.left < clip.right
  )
}
