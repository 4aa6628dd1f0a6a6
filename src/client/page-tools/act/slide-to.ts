import { quote } from '../clean-text.ts'
import { PageError } from '../page-error.ts'
import { nextTurn } from '../slices.ts'
import { nextFrame } from '../waiting.ts'
import { viewOf } from '../dom.ts'
import { describeElement } from './describe.ts'
import { keyOf } from './key.ts'
import { pressKey } from './keyboard.ts'
import type { ActionContext } from './perform.ts'
import { makeReady } from './ready.ts'

const MAX_STEPS = 400

/** Brings a slider or spin button to a value with the arrow keys, as its keyboard users do. */
export async function slideTo(
  slider: HTMLElement,
  text: string,
  { live, signal, show }: ActionContext,
): Promise<void> {
  const wanted = Number(text)
  const name = describeElement(slider, live)
  if (!text.trim() || Number.isNaN(wanted))
    throw new PageError('refused-value', `${name} takes a number, not ${quote(text)}.`)
  await makeReady(slider, { live, signal, byKeys: true })
  await show(slider)
  slider.focus({ preventScroll: true })
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const before = valueOf(slider)
    if (before === wanted) return
    pressKey(slider, keyOf(before < wanted ? 'ArrowUp' : 'ArrowDown'))
    await nextTurn()
    if (valueOf(slider) === before) await nextFrame(viewOf(slider))
    signal?.throwIfAborted()
    const after = valueOf(slider)
    // The step over the wanted value, or an end.
    if (after === before || Math.abs(after - wanted) > Math.abs(before - wanted)) break
  }
  if (valueOf(slider) !== wanted)
    throw new PageError(
      'refused-value',
      `${name} is now at ${valueOf(slider)}: it can't be brought to ${wanted} by its arrow keys.`,
    )
}

function valueOf(slider: HTMLElement): number {
  return Number(slider.getAttribute('aria-valuenow') ?? Number.NaN)
}
