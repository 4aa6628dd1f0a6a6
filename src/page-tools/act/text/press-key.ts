import { showAction } from '../highlight.ts'
import { markAsSent, quote, shorten } from '../../clean-text.ts'
import { activeElement, closest, focusedElement, isElement } from '../../dom.ts'
import * as native from '../../native.ts'
import * as nativeDocument from '../../native-document.ts'
import { livePage } from '../../outline/live-page.ts'
import type { ActOptions } from '../../page.ts'
import { rootOf } from '../../outline/region.ts'
import { readSelection } from '../../read/long-text.ts'
import { clickTarget } from '../click.ts'
import { describeElement } from '../target.ts'
import { editContextOf } from '../field-kind.ts'
import { focusElement } from '../pointer.ts'
import { readKey } from './key.ts'
import { sendKeyPress } from './keyboard.ts'
import { perform, type ActionReport } from '../perform.ts'
import { makeReady } from '../make-ready.ts'
import { resolveTarget, type Target } from '../target.ts'

/** Options of `pressKey`: the element that gets the key, and the number of presses. */
export interface PressKeyOptions extends ActOptions {
  /** Element to focus first. Default: the focused element. */
  readonly target?: Target
  /** Number of presses, at most 50. Default 1. */
  readonly times?: number
}

const MAX_TIMES = 50

const COMPOSITE = '[role=tree],[role=treegrid],[role=grid],[role=listbox],[role=menu]'

/** Focuses the element. If it can't take the focus, focuses the tree, grid or list around it. */
function focusTarget(element: HTMLElement): void {
  focusElement(element)
  if (focusedElement(native.ownerDocument(element)) === element) return
  const container = closest(element, COMPOSITE)
  if (isElement(container)) focusElement(container)
}

export async function pressKey(
  keyName: string,
  options: PressKeyOptions = {},
): Promise<ActionReport> {
  const { page, target } = options
  const live = livePage(page)
  const key = readKey(keyName)
  const element = target === undefined ? null : await resolveTarget(target, options)
  return perform(options, async (context) => {
    if (element) {
      const displayed = editContextOf(element) ? clickTarget(element, live.options) : element
      await makeReady(displayed, { ...context, byKeys: true })
      await showAction(live, element)
      focusTarget(element)
    }
    const ownerDocument = native.ownerDocument(rootOf(live.options))
    const focused = activeElement(ownerDocument)
    const selectedBefore = readSelection(options)
    const times = Math.min(Math.max(1, options.times ?? 1), MAX_TIMES)
    let receiver: Element = nativeDocument.body(ownerDocument)
    for (let count = 0; count < times; count += 1) {
      // The focus is read for each press, since keys move it.
      receiver =
        focusedElement((element && native.ownerDocument(element)) ?? ownerDocument) ??
        nativeDocument.body(ownerDocument)
      if (element && count === 0 && isElement(element) && !native.contains(receiver, element))
        receiver = element
      sendKeyPress(receiver, key, context)
      await Promise.resolve()
    }
    const selected = readSelection(options)
    const hasNewSelection = selected !== '' && selected !== selectedBefore
    const targetNote =
      receiver === nativeDocument.body(ownerDocument)
        ? ''
        : ` on ${describeElement(receiver, live)}`
    return {
      summary: `Pressed ${markAsSent(keyName)}${times > 1 ? ` ${times} times` : ''}${targetNote}.${hasNewSelection ? ` Selected: ${quote(shorten(selected, 100))}.` : ''}`,
      element: receiver,
      focused,
      expectsChange: !hasNewSelection,
    }
  })
}
