import { activeElement, focusedElement, isElement } from '../dom.ts'
import { livePage, rootOf } from '../live-page.ts'
import type { ActOptions } from '../options.ts'
import { requireAllowed } from '../read/region.ts'
import { describeElement } from './describe.ts'
import { readKey } from './key.ts'
import { pressKey as press } from './keyboard.ts'
import { perform, type ActionReport } from './perform.ts'
import { makeReady } from './ready.ts'
import { resolveTarget, type Target } from './target.ts'

export interface PressKeyOptions extends ActOptions {
  /** Focused first. Default: what has the focus. */
  readonly target?: Target
  /** How often. Default 1. */
  readonly times?: number
}

const MOST_TIMES = 50

/** Presses a key like `Enter`, `ArrowDown`, `Shift+Tab` or `Control+A`. */
export async function pressKey(
  keyName: string,
  options: PressKeyOptions = {},
): Promise<ActionReport> {
  const { page, signal, target } = options
  const live = livePage(page)
  const key = readKey(keyName)
  const element = target === undefined ? null : await resolveTarget(target, { page, live, signal })
  return perform(options, async ({ show }) => {
    if (element) {
      await makeReady(element, { live, signal, byKeys: true })
      await show(element)
      element.focus({ preventScroll: true })
    }
    const { ownerDocument } = rootOf(live.options)
    const focused = activeElement(ownerDocument)
    const times = Math.min(Math.max(1, options.times ?? 1), MOST_TIMES)
    let receiver: Element = ownerDocument.body
    for (let count = 0; count < times; count += 1) {
      // Not what was asked for first: keys move the focus.
      receiver = focusedElement(element?.ownerDocument ?? ownerDocument) ?? ownerDocument.body
      if (element && count === 0 && isElement(element) && !receiver.contains(element))
        receiver = element
      if (receiver !== ownerDocument.body) requireAllowed(receiver, live.options)
      press(receiver, key)
      await Promise.resolve()
    }
    const where = receiver === ownerDocument.body ? '' : ` on ${describeElement(receiver, live)}`
    return {
      said: `Pressed ${keyName}${times > 1 ? ` ${times} times` : ''}${where}.`,
      element: receiver,
      focused,
    }
  })
}
