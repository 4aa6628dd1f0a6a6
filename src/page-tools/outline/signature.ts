import * as native from '../native.ts'
import { MASKED } from '../privacy.ts'
import type { OutlineNode } from './outline-node.ts'
import { isActionable } from './role.ts'
import { stateOf } from './state.ts'

const NAMING_ATTRIBUTES = ['aria-label', 'title', 'alt', 'placeholder', 'src']

/**
 * A text that changes with the node's own state. Computing names is expensive, so it contains the attributes that names
 * are made of.
 */
export function signatureOf(node: OutlineNode): string {
  const { element, role, control, items, masked } = node
  let signature = node.onHover ? `${role}\u0005` : role
  for (const item of items) if ('text' in item) signature += `\u0001${item.text}`
  if (!role || (!isActionable(role) && !native.hasAttributes(element))) return signature
  const { flags, value } = stateOf(control, role)
  if (flags.length > 0) signature += `\u0002${flags.join(' ')}`
  if (value) signature += `\u0003${masked ? MASKED : value}`
  for (const name of NAMING_ATTRIBUTES) {
    const hint = native.getAttribute(element, name)
    if (hint) signature += `\u0004${name}=${hint}`
  }
  return signature
}
