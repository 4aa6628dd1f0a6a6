import { nextTurn } from '../../lib/next-turn.ts'
import { asSent, quoteSent } from '../as-sent.ts'
import { normalize } from '../clean-text.ts'
import { PageError } from '../page-error.ts'
import { isMasked, MASKED } from '../privacy.ts'
import { nextFrame } from '../waiting.ts'
import { viewOf } from '../dom.ts'
import * as native from '../native.ts'
import { describeElement } from './describe.ts'
import { focusElement } from './focus.ts'
import { keyOf } from './key.ts'
import { sendKeyPress } from './keyboard.ts'
import type { ActionContext } from './perform.ts'
import { makeReady } from './make-ready.ts'
import { checkAction, type GuardedCall } from './guard-actions.ts'

const MAX_STEPS = 400

/** Moves a slider or spin button to a value with the arrow keys, as keyboard users do. */
export async function slideTo(
  slider: HTMLElement,
  text: string,
  { live, signal, show }: ActionContext,
): Promise<void> {
  const wanted = Number(text)
  const name = describeElement(slider, live)
  const isNumber = text.trim() !== '' && !Number.isNaN(wanted)
  if (isNumber ? !isWithin(slider, wanted) : !native.hasAttribute(slider, 'aria-valuetext'))
    throw new PageError(
      'refused-value',
      `${name} takes ${rangeOf(slider)}, not ${quoteSent(text)}.`,
    )
  await makeReady(slider, { live, signal, byKeys: true })
  await show(slider)
  checkAction(slider, { live, signal })
  focusElement(slider)
  const start = valueOf(slider)
  const step = (key: string): Promise<boolean> => press(slider, key, { live, signal })
  const found = isNumber
    ? await stepToNumber(slider, wanted, step)
    : await stepToText(slider, text, step)
  if (found) return
  if (!isNumber) await stepToNumber(slider, start, step)
  const now = isMasked(slider, live.options)
    ? MASKED
    : (native.getAttribute(slider, 'aria-valuetext') ?? valueOf(slider))
  throw new PageError(
    'refused-value',
    `${name} is now at ${now}: it can't be brought to ${asSent(text.slice(0, 120))} by its arrow keys. It takes ${rangeOf(slider)}.`,
  )
}

type Step = (key: string) => Promise<boolean>

/** Keys that raise and lower a value. Some sliders listen to one pair only; the last pair is for right-to-left text. */
const KEYS = [
  ['ArrowUp', 'ArrowDown'],
  ['ArrowRight', 'ArrowLeft'],
  ['ArrowLeft', 'ArrowRight'],
] as const

async function stepToNumber(slider: HTMLElement, wanted: number, step: Step): Promise<boolean> {
  const start = valueOf(slider)
  for (const keys of KEYS) {
    if (await stepToNumberBy(slider, wanted, { keys, step })) return true
    // These keys moved it the right way, as far as they can: others won't help.
    if ((valueOf(slider) - start) * (wanted - start) > 0) break
  }
  return false
}

async function stepToNumberBy(
  slider: HTMLElement,
  wanted: number,
  { keys: [up, down], step }: { readonly keys: (typeof KEYS)[number]; readonly step: Step },
): Promise<boolean> {
  for (let count = 0; count < MAX_STEPS; count += 1) {
    const before = valueOf(slider)
    if (before === wanted) return true
    const moved = await step(before < wanted ? up : down)
    // The last step passed the wanted value or reached an end.
    if (!moved || Math.abs(valueOf(slider) - wanted) > Math.abs(before - wanted)) break
  }
  return valueOf(slider) === wanted
}

async function stepToText(slider: HTMLElement, text: string, step: Step): Promise<boolean> {
  let hasMoved = false
  for (const keys of KEYS.slice(0, 2)) {
    for (const key of keys) {
      const go = async (): Promise<boolean> => {
        const moved = await step(key)
        hasMoved ||= moved
        return moved
      }
      if (await stepToTextBy(slider, text, go)) return true
    }
    if (hasMoved) break
  }
  return false
}

/** Steps until the slider's text is this one. Some sliders wrap around. */
async function stepToTextBy(
  slider: HTMLElement,
  text: string,
  step: () => Promise<boolean>,
): Promise<boolean> {
  const shown = (): boolean =>
    normalize(native.getAttribute(slider, 'aria-valuetext') ?? '') === normalize(text)
  const start = valueOf(slider)
  for (let count = 0; count < MAX_STEPS && !shown(); count += 1)
    if (!(await step()) || valueOf(slider) === start) break
  return shown()
}

/** Whether the key moved the value. */
async function press(slider: HTMLElement, key: string, call: GuardedCall): Promise<boolean> {
  const before = valueOf(slider)
  sendKeyPress(slider, keyOf(key), call)
  await nextTurn()
  if (valueOf(slider) === before) await nextFrame(viewOf(slider))
  call.signal?.throwIfAborted()
  return valueOf(slider) !== before
}

function valueOf(slider: HTMLElement): number {
  return Number(native.getAttribute(slider, 'aria-valuenow') ?? Number.NaN)
}

function isWithin(slider: HTMLElement, wanted: number): boolean {
  const { min, max } = limitsOf(slider)
  return !(wanted < min) && !(wanted > max)
}

function limitsOf(slider: HTMLElement): { readonly min: number; readonly max: number } {
  return {
    min: Number.parseFloat(native.getAttribute(slider, 'aria-valuemin') ?? ''),
    max: Number.parseFloat(native.getAttribute(slider, 'aria-valuemax') ?? ''),
  }
}

function rangeOf(slider: HTMLElement): string {
  const { min, max } = limitsOf(slider)
  return Number.isNaN(min) || Number.isNaN(max) ? 'a number' : `a number from ${min} to ${max}`
}
