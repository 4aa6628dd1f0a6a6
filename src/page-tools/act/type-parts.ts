import { fieldValue } from '../outline/state.ts'
import { nextTurn } from '../../lib/next-turn.ts'
import * as native from '../native.ts'
import { makeReady } from './make-ready.ts'
import { focusElement } from './focus.ts'
import { keyOf, withShift } from './key.ts'
import { sendKeyPress } from './keyboard.ts'
import type { ActionContext } from './perform.ts'
import { lazyPattern } from '../../lib/once.ts'

/** The parts of a field with separate parts for day, month and year; empty for other fields. */
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
 * Types a date or time into a field of parts, in any order of the parts. Returns false, and types nothing, when the
 * text isn't a date or time, or when the field has other parts.
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

/** The parts of a date, a time or both that a text contains. */
interface DateParts {
  readonly year?: number
  readonly month?: number
  readonly day?: number
  readonly hour?: number
  readonly minute?: number
  readonly second?: number
}

const DATE = String.raw`(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})`
const TIME = String.raw`(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2}))?(?: ?(?<half>[ap])\.?m\.?)?`
const FORMS = [DATE, TIME, `${DATE}[T ]${TIME}`].map((form) => lazyPattern(() => `^${form}$`, 'i'))

/** Reads `2026-03-09`, `14:30`, `2:30 PM`, `2026-03-09T14:30`; null for any other text. */
export function readDateParts(text: string): DateParts | null {
  for (const form of FORMS) {
    const { half, ...found } = form().exec(text.trim())?.groups ?? {}
    const entries = Object.entries(found).filter(([, value]) => value !== undefined)
    if (entries.length === 0) continue
    const parts: DateParts = Object.fromEntries(
      entries.map(([name, value]) => [name, Number(value)]),
    )
    const { hour } = parts
    if (!half || hour === undefined) return parts
    return { ...parts, hour: (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0) }
  }
  return null
}

/** The text for a part; `A` and `P` stand for AM and PM. */
interface PartPlan {
  readonly field: HTMLElement
  readonly text: string
}

/**
 * The text for each part, or null when a part is missing. Parts are identified by their highest value, since names
 * depend on the language.
 */
export function planParts(fields: readonly HTMLElement[], wanted: DateParts): PartPlan[] | null {
  const kinds = kindsOf(fields.map((field) => Number(field.ariaValueMax)))
  if (Object.keys(wanted).some((name) => !kinds.includes(name as keyof DateParts))) return null
  return fields.flatMap((field, index) => {
    const text = textFor(kinds[index] ?? null, Number(field.ariaValueMax), wanted)
    return text === null ? [] : [{ field, text }]
  })
}

type Kind = keyof DateParts | 'half' | null

function kindsOf(highest: readonly number[]): Kind[] {
  const minute = highest.indexOf(59)
  return highest.map((max, index) => {
    if (max > 60) return 'year'
    if (max === 59) return index === minute ? 'minute' : 'second'
    if (max >= 28) return 'day'
    if (max <= 1) return 'half'
    if (index === minute - 1) return 'hour'
    return max === 12 || max === 13 ? 'month' : null
  })
}

function textFor(kind: Kind, max: number, wanted: DateParts): string | null {
  const { hour } = wanted
  if (kind === 'half') return hour === undefined ? null : hour < 12 ? 'A' : 'P'
  const value = kind && wanted[kind]
  if (value === null || value === undefined) return null
  if (kind === 'year') return String(max < 100 ? value % 100 : value).padStart(2, '0')
  const shown = kind === 'hour' && max <= 12 ? value % 12 || (max === 12 ? 12 : 0) : value
  return String(shown).padStart(2, '0')
}
