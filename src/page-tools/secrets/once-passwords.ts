import { cleanText } from '../clean-text.ts'
import { isTag, labelsOf } from '../dom.ts'
import * as native from '../native.ts'

/** Fields that are or were password fields. "Show password" turns them into text fields. */
const passwords = new WeakSet<Element>()

/** Password fields by name, id and label. Some pages replace the field with a text field to show the password. */
const twins = new Map<string, WeakRef<Element>>()
const MAX_TWINS = 200

/** Whether the field is a password field, was one, or has replaced one. */
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

/** Whether the password field with this key is gone or not displayed, so that another field may have replaced it. */
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
