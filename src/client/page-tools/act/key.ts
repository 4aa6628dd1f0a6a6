import { PageError } from '../page-error.ts'
import type { Modifiers } from './pointer.ts'

/** A key press as events describe it. */
export interface Key extends Modifiers {
  readonly key: string
  readonly code: string
  /** Deprecated and still read by many libraries. */
  readonly keyCode: number
}

/** Names beside single characters, with their legacy codes. */
const NAMED: Readonly<Record<string, number>> = {
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
  F1: 112,
  F2: 113,
  F3: 114,
  F4: 115,
  F5: 116,
  F6: 117,
  F7: 118,
  F8: 119,
  F9: 120,
  F10: 121,
  F11: 122,
  F12: 123,
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

/** Reads `Enter`, `a`, `Shift+Tab`, `Control+Enter`. Throws `invalid-input` for what is no key. */
export function readKey(text: string): Key {
  const parts = text === '+' ? ['+'] : text.replace(/\+\+$/, '+Plus').split('+')
  const last = parts.pop() ?? ''
  const modifiers: { -readonly [name in keyof Modifiers]: Modifiers[name] } = {}
  for (const part of parts) {
    const modifier = MODIFIERS[part.trim().toLowerCase()]
    if (!modifier) throw new PageError('invalid-input', `"${part}" is no modifier key.`)
    modifiers[modifier] = true
  }
  return { ...modifiers, ...keyOf(last === 'Plus' ? '+' : last) }
}

/** The key that types a character. */
export function keyOf(text: string): Key {
  const trimmed = text.length > 1 ? text.trim() : text
  const name =
    ALIASES[trimmed.toLowerCase()] ??
    Object.keys(NAMED).find((one) => one.toLowerCase() === trimmed.toLowerCase()) ??
    trimmed
  const named = NAMED[name]
  if (named !== undefined) return { key: name, code: name, keyCode: named }
  if (!isOneCharacter(name))
    throw new PageError(
      'invalid-input',
      `"${text}" is no key. Use one character or a name like Enter, Escape, Tab, ArrowDown, Control+A.`,
    )
  return { key: name, code: codeOf(name), keyCode: name.toUpperCase().charCodeAt(0) }
}

export function isOneCharacter(text: string): boolean {
  return /^.$/su.test(text)
}

function codeOf(character: string): string {
  if (character === ' ') return 'Space'
  if (/[a-z]/i.test(character)) return `Key${character.toUpperCase()}`
  return /\d/.test(character) ? `Digit${character}` : ''
}
