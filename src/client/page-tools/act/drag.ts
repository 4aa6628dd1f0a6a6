import { closest, isElement, viewOf } from '../dom.ts'
import { inWindow } from '../in-window.ts'
import { livePage } from '../live-page.ts'
import type { ActOptions } from '../options.ts'
import { PageError } from '../page-error.ts'
import { nextFrame } from '../waiting.ts'
import { describeElement } from './describe.ts'
import { dragData, isAllowed, offeredEffect } from './drag-data.ts'
import { sendDrag } from './drag-event.ts'
import { elementAt, type Hit, type Point } from './hit-test.ts'
import { perform, type ActionContext, type ActionReport } from './perform.ts'
import { letGo } from './capture.ts'
import { cancelPointer, movePointer, pressPointer, releasePointer } from './pointer.ts'
import { makeReady } from './ready.ts'
import { resolveTarget, type Target } from './target.ts'

/** Where to drop: on an element, or so many pixels from the start. */
export type DropPlace =
  | { readonly to: Target }
  | { readonly by: { readonly x: number; readonly y: number } }

const STEPS = 8
const PRESS = { button: 0, detail: 1 }

/** Drags with the pointer and, where the element is `draggable`, with drag-and-drop events. */
export async function drag(
  target: Target,
  place: DropPlace,
  options: ActOptions = {},
): Promise<ActionReport> {
  const { page, signal } = options
  const live = livePage(page)
  const source = await resolveTarget(target, { page, live, signal })
  const goal = 'to' in place ? await resolveTarget(place.to, { page, live, signal }) : null
  if (goal && goal.ownerDocument !== source.ownerDocument)
    throw new PageError('unsupported', 'Nothing can be dragged from one frame into another.')
  return perform(options, async (context) => {
    const start = await makeReady(source, { live, signal })
    await context.show(source)
    const end = goal
      ? middleOf(goal)
      : moved(start.point, 'by' in place ? place.by : { x: 0, y: 0 })
    await (draggableAround(start.receiver)
      ? dragAndDrop(start, end, context)
      : dragPointer(start, end, context))
    const where = goal ? ` to ${describeElement(goal, live)}` : ''
    return { said: `Dragged ${describeElement(source, live)}${where}.`, element: source }
  })
}

/** Not scrolled to: that would move the start. What is outside the view can't be dropped on. */
function middleOf(goal: HTMLElement): Point {
  const box = inWindow(goal, goal.getBoundingClientRect())
  const { innerHeight } = viewOf(goal)
  const y = Math.min(Math.max(box.top + box.height / 2, 1), innerHeight - 1)
  return { x: box.left + box.width / 2, y }
}

function moved({ x, y }: Point, by: Point): Point {
  return { x: x + by.x, y: y + by.y }
}

function draggableAround(element: Element): HTMLElement | null {
  const found = closest(
    element,
    '[draggable="true"],a[href]:not([draggable="false"]),img:not([draggable="false"])',
  )
  return isElement(found) && found.matches('[draggable="true"]') ? found : null
}

async function dragPointer(start: Hit, end: Point, { live, signal }: ActionContext): Promise<void> {
  const { receiver } = start
  movePointer(live, start)
  pressPointer(start, PRESS)
  let last = start
  try {
    for (const point of between(start.point, end)) {
      await nextFrame(viewOf(receiver))
      signal?.throwIfAborted()
      last = { point, receiver: elementAt(receiver.ownerDocument, point) ?? receiver }
      movePointer(live, last, 1)
    }
    await nextFrame(viewOf(receiver))
    releasePointer(last, PRESS)
  } finally {
    letGo()
  }
}

async function dragAndDrop(start: Hit, end: Point, { live, signal }: ActionContext): Promise<void> {
  const source = draggableAround(start.receiver)
  if (!source) return
  const view = viewOf(source)
  const data = dragData(view)
  const send = (target: Element, type: string, point: Point): boolean =>
    sendDrag(target, type, { point, data })
  movePointer(live, start)
  pressPointer(start, PRESS)
  if (!send(source, 'dragstart', start.point)) return releasePointer(start, PRESS)
  cancelPointer(start, PRESS)
  let over: Element | null = null
  let accepted = false
  for (const point of between(start.point, end)) {
    await nextFrame(view)
    signal?.throwIfAborted()
    send(source, 'drag', point)
    const under = elementAt(source.ownerDocument, point)
    if (!under) continue
    data.dropEffect = offeredEffect(data.effectAllowed)
    if (under !== over) {
      send(under, 'dragenter', point)
      if (over) send(over, 'dragleave', point)
      over = under
    }
    data.dropEffect = offeredEffect(data.effectAllowed)
    accepted = !send(under, 'dragover', point) && isAllowed(data)
  }
  if (over && accepted) send(over, 'drop', end)
  else data.dropEffect = 'none'
  send(source, 'dragend', end)
}

function between(start: Point, end: Point): Point[] {
  return Array.from({ length: STEPS + 1 }, (_, index) => {
    const part = Math.min(1, (index + 1) / STEPS)
    return { x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part }
  })
}
