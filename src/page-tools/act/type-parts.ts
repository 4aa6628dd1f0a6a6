import { fieldValue } from '../outline/state.ts'
import { nextTurn } from '../../lib/next-turn.ts'
import * as native from '../native.ts'
import { makeReady } from './make-ready.ts'
import { planParts, readDateParts } from './date-parts.ts'
import { focusElement } from './focus.ts'
import { keyOf, withShift } from './key.ts'
import { sendKeyPress } from './keyboard.ts'
import type { ActionContext } from './perform.ts'

/** The parts of a field with one part each for day, month and year; none for another field. */
export function partsOf(target: Element): HTMLElement[] {
  const found = [
    ...native.querySelectorAll<HTMLElement>(target, '[role=spinbutton][aria-valuemax]'),
  ]
  return found.length > 1 ? found : []
}

/** The values of the parts, in their order. */
export function partsText(parts: readonly HTMLElement[]): string {
  return parts.map((part) => fieldValue(part, 'spinbutton') ?? '').join(' ')
}

/**
 * Types a date or time into a field of parts, in any order of the parts. Returns false, and types nothing,
 * when the text is neither or the field has other parts.
 */
export async function typeParts(
  parts: readonly HTMLElement[],
  text: string,
  { live, signal, show }: ActionContext,
): Promise<boolean> {
  const wanted = readDateParts(text)
  const plan = wanted && planParts(parts, wanted)
  if (!plan) return false
  for (const { field, text: value } of plan) {
    await makeReady(field, { live, signal, byKeys: true })
    await show(field)
    focusElement(field)
    const before = native.ariaValueNow(field)
    for (const character of value) {
      sendKeyPress(field, withShift(keyOf(character)), { live, signal })
      await nextTurn()
    }
    // The letters of AM and PM depend on the language.
    const isHalf = /[AP]/.test(value)
    if (
      isHalf &&
      native.ariaValueNow(field) !== (value === 'P' ? '1' : '0') &&
      native.ariaValueNow(field) === before
    )
      sendKeyPress(field, keyOf('ArrowUp'), { live, signal })
  }
  return true
}
