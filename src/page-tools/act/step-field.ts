import * as native from '../native.ts'
import { sendChoice, setNativeValue } from './set-value.ts'
import type { Activation } from './sites.ts'

/** Throws unless a key may use the element that it leads to. */
export type KeyCheck = (element: Element, activation?: Activation) => void

/** Arrow keys in a number or range field. */
export function stepField(field: HTMLInputElement, key: string): void {
  const before = field.value
  const up = /^(ArrowUp|ArrowRight|PageUp)$/.test(key)
  const isRange = field.type === 'range'
  if (!isRange && /^(ArrowLeft|ArrowRight|Home|End)$/.test(key)) return
  if (key === 'Home') setNativeValue(field, field.min || '0')
  else if (key === 'End') setNativeValue(field, field.max || '100')
  else if (up) field.stepUp(key.startsWith('Page') ? 10 : 1)
  else field.stepDown(key.startsWith('Page') ? 10 : 1)
  if (field.value !== before) sendChoice(field)
}

/** Arrow keys move the choice within a group of radio buttons. */
export function moveRadio(radio: HTMLInputElement, key: string, check: KeyCheck): void {
  if (!key.startsWith('Arrow')) return
  const scope = radio.form ?? (radio.getRootNode() as Document)
  const group = [...native.querySelectorAll<HTMLInputElement>(scope, 'input')].filter(
    (input) => input.type === 'radio' && input.name === radio.name && !input.matches(':disabled'),
  )
  const step = /(Right|Down)$/.test(key) ? 1 : -1
  const next = group.at((group.indexOf(radio) + step) % group.length)
  if (!next || next === radio) return
  check(next, 'click')
  next.focus()
  next.click()
}

/** Arrow keys in a closed native select. */
export function stepSelect(select: HTMLSelectElement, key: string, check: KeyCheck): void {
  const options = [...select.options].filter(({ disabled }) => !disabled)
  const at = options.findIndex((option) => option.index === select.selectedIndex)
  const step = /(Right|Down)$/.test(key) ? 1 : -1
  const wanted = key === 'Home' ? 0 : key === 'End' ? options.length - 1 : Math.max(0, at + step)
  const option = options[Math.min(wanted, options.length - 1)]
  if (!option || option.index === select.selectedIndex) return
  check(option)
  select.selectedIndex = option.index
  sendChoice(select)
}
