import { MASKED } from '../privacy.ts'
import type { OutlineNode } from './outline-node.ts'
import { isActionable } from './role.ts'
import { stateOf } from './state.ts'

const HINTS = ['aria-label', 'title', 'alt', 'placeholder', 'src']

/** Names are costly, so what they are made of stands for them. */
export function signature({ element, role, control, items, masked }: OutlineNode): string {
  let sig = role
  for (const item of items) if ('text' in item) sig += `\u0001${item.text}`
  if (!role || (!isActionable(role) && !element.hasAttributes())) return sig
  const { flags, value } = stateOf(control, role)
  if (flags.length > 0) sig += `\u0002${flags.join(' ')}`
  if (value) sig += `\u0003${masked ? MASKED : value}`
  for (const name of HINTS) {
    const hint = element.getAttribute(name)
    if (hint) sig += `\u0004${name}=${hint}`
  }
  return sig
}
