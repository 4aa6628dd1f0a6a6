import { contains } from '../dom.ts'
import * as native from '../native.ts'
import type { LivePage } from '../outline/live-page.ts'
import { requireAllowed } from '../outline/region.ts'
import type { PageOptions } from '../options.ts'
import { checkAction, type GuardedCall } from './guard-actions.ts'
import { elementAt, hitTest, type Hit, type Point } from './hit-test.ts'
import { marksOf, mustConfirm } from './must-confirm.ts'

/**
 * The element on which a drag by this distance drops the source. Null while the source isn't in view, or if only its
 * own surroundings are there.
 */
export function dropTarget(source: Element, by: Point, { options }: LivePage): Element | null {
  const start = hitTest(source)
  if (!('receiver' in start)) return null
  const found = elementAt(native.ownerDocument(source), offsetBy(start.point, by))
  return found && isTarget(found, start, options) ? found : null
}

/** Call it right before a drop. Throws if nothing may be dropped on the element. */
export function checkDrop(element: Element, start: Hit, call: GuardedCall): void {
  if (!isTarget(element, start, call.live.options)) return
  requireAllowed(element, call.live.options)
  checkAction(element, call, 'drop')
}

export function offsetBy({ x, y }: Point, by: Point): Point {
  return { x: x + by.x, y: y + by.y }
}

/**
 * Whether dropping on the element needs checks of its own. Elements around the dragged one get its events anyway: they
 * count only with a mark that the dragged one doesn't have.
 */
function isTarget(element: Element, { receiver }: Hit, options: PageOptions): boolean {
  const asked = marksOf(receiver)
  return !contains(element, receiver) || mustConfirm(element, 'drop', { ...options, asked })
}
