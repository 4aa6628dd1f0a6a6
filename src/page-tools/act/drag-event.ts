import { viewOf } from '../dom.ts'
import * as native from '../native.ts'
import type { Point } from './hit-test.ts'

/**
 * Sends a drag-and-drop event. Returns false when a listener prevented the default, which means that it accepts the
 * drop.
 */
export function sendDrag(
  target: Element,
  type: string,
  { point, data }: { readonly point: Point; readonly data: DataTransfer },
): boolean {
  const view = viewOf(target)
  return native.dispatchEvent(
    target,
    new view.DragEvent(type, {
      bubbles: true,
      cancelable: true,
      composed: true,
      view,
      dataTransfer: data,
      clientX: point.x,
      clientY: point.y,
    }),
  )
}
