import { PageError } from '../../page.ts'
import type { Modifiers } from '../pointer.ts'

/** A key press as events describe it. */
export interface Key extends Modifiers {
  readonly key: string
  readonly code: string
  /** Deprecated, but still read by many libraries. */
  readonly keyCode: number
}

/** Named keys, with their legacy codes. */
const NAMED_KEYS: Readonly<Record<string, number>> = {
  Backspace: 8,
  Tab: 9,
  Enter: 13,
  Escape: 27,
  PageUp: 33,
  PageDown: 34,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  Insert: 45,
  Delete: 46,
  ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`F${at + 1}`, 112 + at])),
}

const ALIASES: Readonly<Record<string, string>> = {
  esc: 'Escape',
  return: 'Enter',
  del: 'Delete',
  up: 'ArrowUp',
  down: 'ArrowDown',
  left: 'ArrowLeft',
  right: 'ArrowRight',
  space: ' ',
  spacebar: ' ',
  '\n': 'Enter',
  '\r': 'Enter',
}

const MODIFIERS: Readonly<Record<string, keyof Modifiers>> = {
  control: 'ctrlKey',
  ctrl: 'ctrlKey',
  shift: 'shiftKey',
  alt: 'altKey',
  option: 'altKey',
  meta: 'metaKey',
  cmd: 'metaKey',
  command: 'metaKey',
}

/** Reads `Enter`, `a`, `Shift+Tab`, `Control+Enter`. Throws `invalid-input` for an unknown key. */
export function readKey(text: string): Key {
  const parts = text === '+' ? ['+'] : text.replace(/\+\+$/, '+Plus').split('+')
  const last = parts.pop() ?? ''
  const modifiers: { -readonly [name in keyof Modifiers]: Modifiers[name] } = {}
  for (const part of parts) {
    const modifier = lookUp(MODIFIERS, part.trim().toLowerCase())
    if (!modifier) throw new PageError('invalid-input', `"${part}" is no modifier key.`)
    modifiers[modifier] = true
  }
  const key = keyOf(last === 'Plus' ? '+' : last)
  return parts.length > 0 ? { ...applyCase(key, modifiers), ...modifiers } : withShift(key)
}

/** `Control+K` is written with a capital, but its events have the key `k`, and `K` only with Shift. */
function applyCase(key: Key, { shiftKey }: Modifiers): Key {
  if (!/^[a-z]$/i.test(key.key)) return key
  return { ...key, key: shiftKey ? key.key.toUpperCase() : key.key.toLowerCase() }
}

/** Looks up own properties only: a model may send `constructor`, which isn't a key. */
function lookUp<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** The key that types a character. */
export function keyOf(text: string): Key {
  const trimmed = text.length > 1 ? text.trim() : text
  const name =
    lookUp(ALIASES, trimmed.toLowerCase()) ??
    Object.keys(NAMED_KEYS).find(
      (candidate) => candidate.toLowerCase() === trimmed.toLowerCase(),
    ) ??
    trimmed
  const namedCode = lookUp(NAMED_KEYS, name)
  if (namedCode !== undefined) return { key: name, code: name, keyCode: namedCode }
  if (!isOneCharacter(name))
    throw new PageError(
      'invalid-input',
      `"${text}" is no key. Use one character or a name like Enter, Escape, Tab, ArrowDown, Control+A.`,
    )
  const sign = findSign(name)
  if (sign) return { key: name, code: sign.code, keyCode: sign.keyCode }
  return { key: name, code: getCode(name), keyCode: name.toUpperCase().charCodeAt(0) }
}

/** Adds Shift for capitals and for signs that need it. */
export function withShift(key: Key): Key {
  const isUpper = /^[A-Z]$/.test(key.key) || findSign(key.key)?.isUpper
  return isUpper ? { ...key, shiftKey: true } : key
}

/** The signs of a US keyboard: code, legacy code, then what the key types without and with Shift. */
const SIGNS: readonly (readonly [string, number, string])[] = [
  ['Semicolon', 186, ';:'],
  ['Equal', 187, '=+'],
  ['Comma', 188, ',<'],
  ['Minus', 189, '-_'],
  ['Period', 190, '.>'],
  ['Slash', 191, '/?'],
  ['Backquote', 192, '`~'],
  ['BracketLeft', 219, '[{'],
  ['Backslash', 220, '\\|'],
  ['BracketRight', 221, ']}'],
  ['Quote', 222, '\'"'],
  ...Array.from(
    ')!@#$%^&*(',
    (sign, digit) => [`Digit${digit}`, 48 + digit, `${digit}${sign}`] as const,
  ),
]

function findSign(
  character: string,
): { readonly code: string; readonly keyCode: number; readonly isUpper: boolean } | null {
  for (const [code, keyCode, types] of SIGNS) {
    const at = types.indexOf(character)
    if (at >= 0 && character.length === 1) return { code, keyCode, isUpper: at === 1 }
  }
  return null
}

export function isOneCharacter(text: string): boolean {
  return /^.$/su.test(text)
}

function getCode(character: string): string {
  if (character === ' ') return 'Space'
  return /[a-z]/i.test(character) ? `Key${character.toUpperCase()}` : ''
}
