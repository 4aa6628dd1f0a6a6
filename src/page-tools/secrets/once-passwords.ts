import { cleanText } from '../clean-text.ts'
import { isTag } from '../dom.ts'
import { labelsOf } from '../labels.ts'
import * as native from '../native.ts'

/** Fields that were password fields before: "show password" turns them into text fields. */
const passwords = new WeakSet<Element>()

/** By what a password field was known: pages also replace it by a text field. */
const twins = new Map<string, WeakRef<Element>>()
const MAX_TWINS = 200

/** Whether the field is one for a password, was one, or stands where one was. */
export function isOncePassword(field: Element): boolean {
  if (isTag(field, 'input') && field.type === 'password') rememberPassword(field)
  if (passwords.has(field)) return true
  if (twins.size === 0 || !keysOf(field).some(isFree)) return false
  passwords.add(field)
  return true
}

export function rememberPassword(field: Element): void {
  if (passwords.has(field)) return
  passwords.add(field)
  for (const key of keysOf(field)) {
    twins.delete(key)
    twins.set(key, new WeakRef(field))
  }
  while (twins.size > MAX_TWINS)
    for (const oldest of twins.keys()) {
      twins.delete(oldest)
      break
    }
}

/** The password field of this key has gone, or isn't displayed: another one may stand in its place. */
function isFree(key: string): boolean {
  const twin = twins.get(key)
  if (!twin) return false
  const field = twin.deref()
  return !(field && native.isConnected(field)) || !native.checkVisibility(field)
}

function keysOf(field: Element): string[] {
  const label = labelsOf(field)
    .map(({ textContent }) => cleanText(textContent))
    .join(' ')
  return [
    ['name', native.getAttribute(field, 'name')],
    ['id', native.id(field)],
    ['label', label || native.getAttribute(field, 'aria-label')],
  ].flatMap(([kind, value]) => (value ? [`${kind} ${value}`] : []))
}
