import { contains } from '../dom.ts'
import * as native from '../native.ts'
import type { LivePage } from '../outline/live-page.ts'
import { requireAllowed } from '../outline/region.ts'
import type { PageOptions } from '../options.ts'
import { checkAction, type GuardedCall } from './guard-actions.ts'
import { elementAt, hitTest, type Hit, type Point } from './hit-test.ts'
import { marksOf, mustConfirm } from './must-confirm.ts'

/** What an element is dropped on that is dragged by a distance from where it is; null: it isn't known before it is in view. */
export function dropTarget(source: Element, by: Point, { options }: LivePage): Element | null {
  const start = hitTest(source)
  if (!('receiver' in start)) return null
  const found = elementAt(native.ownerDocument(source), offsetBy(start.point, by))
  return found && isTarget(found, start, options) ? found : null
}

/** To be called right before something is dropped. Throws when nothing may be dropped there. */
export function checkDrop(element: Element, start: Hit, call: GuardedCall): void {
  if (!isTarget(element, start, call.live.options)) return
  requireAllowed(element, call.live.options)
  checkAction(element, call, 'drop')
}

export function offsetBy({ x, y }: Point, by: Point): Point {
  return { x: x + by.x, y: y + by.y }
}

/** What is dragged, and what that lies in, gets its events anyway, and its marks are those of what is dragged. */
function isTarget(element: Element, { receiver }: Hit, options: PageOptions): boolean {
  const asked = marksOf(receiver)
  return !contains(element, receiver) || mustConfirm(element, 'drop', { ...options, asked })
}
