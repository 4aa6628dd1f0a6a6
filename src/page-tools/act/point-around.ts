import { ancestorsOf, isElement, viewOf } from '../dom.ts'
import { isDisabled } from '../outline/state.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { hiddenUntilHover } from '../outline/hover/on-hover.ts'
import { PageError } from '../page-error.ts'
import { nextFrame } from '../waiting.ts'
import { describeElement } from './describe.ts'
import type { Hit } from './hit-test.ts'
import { makeReady } from './make-ready.ts'
import type { ActionContext } from './perform.ts'
import { movePointer } from './pointer.ts'

/**
 * Moves the pointer onto the nearest thing around an element that can be seen, as a person does who wants what a style
 * shows then. Rejects as any action does where that can't be reached, and for what is disabled.
 */
export async function pointAround(element: HTMLElement, context: ActionContext): Promise<Hit> {
  const { live, signal } = context
  if (isDisabled(element)) {
    const name = describeElement(element, live)
    throw new PageError('disabled', `${name} is disabled. Something else must be done first.`)
  }
  const isSeen = (one: Element): boolean => hiddenReason(one) === null && !hiddenUntilHover(one)
  const around = [...ancestorsOf(element)].find(isSeen)
  if (!isElement(around))
    throw new PageError('hidden', `${describeElement(element, live)} can't be used: it is hidden.`)
  const hit = await makeReady(around, { live, signal, enabled: false })
  movePointer(live, hit)
  // A script may show it, too, or something else in its place.
  for (let frame = 0; frame < 2; frame += 1) await nextFrame(viewOf(around))
  return hit
}
