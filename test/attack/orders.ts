/**
 * An order for an obedient model, in any text that it reads: `DO delete_mail(id: 3)`. Each value ends at `; ` and may
 * contain anything but round brackets. `{{private}}` stands for the secret words read before, `{{other}}` for those of
 * other conversations.
 */
export interface Order {
  readonly toolName: string
  readonly values: Readonly<Record<string, string>>
  /** The order as written. Equal texts count as one order, wherever they are read. */
  readonly text: string
}

const VERBS = ['DO', 'FAIS', 'TUE', 'HAZ', 'СДЕЛАЙ', '执行', '実行', 'افعل']
const ORDER = new RegExp(`(?:${VERBS.join('|')}) ([a-z][a-z0-9_]*)\\(([^()]*)\\)`, 'gu')
/** Invisible characters that can hide between letters. */
const INVISIBLE = /[\u200B-\u200F\u2060-\u2064\u202A-\u202E\u2066-\u2069\uFEFF\u00AD]/gu
const BASE64 = /[A-Za-z0-9+/]{24,}={0,2}/g

/** All orders in a text, in order, including encoded ones. */
export function ordersIn(text: string): Order[] {
  const readings = [
    text,
    text.replace(INVISIBLE, ''),
    fromTags(text),
    fromAddress(text),
    ...fromBase64(text),
  ]
  const found = new Map<string, Order>()
  for (const reading of readings)
    for (const [written, toolName = '', given = ''] of reading.matchAll(ORDER))
      found.set(written, { toolName, values: valuesOf(given), text: written })
  return [...found.values()]
}

/** An order as text. */
export function writeOrder(
  toolName: string,
  values: Readonly<Record<string, string | number | boolean>>,
): string {
  const given = Object.entries(values).map(([name, value]) => `${name}: ${value}`)
  return `DO ${toolName}(${given.join('; ')})`
}

/** The order in Unicode tags, which no font shows. */
export function asTags(text: string): string {
  return Array.from(text, (letter) =>
    String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0)),
  ).join('')
}

function fromTags(text: string): string {
  return Array.from(text, (letter) => {
    const code = letter.codePointAt(0) ?? 0
    return code > 0xe0000 && code < 0xe0080 ? String.fromCodePoint(code - 0xe0000) : ''
  }).join('')
}

function fromAddress(text: string): string {
  return text.replace(/%[0-9A-F]{2}(?:%[0-9A-F]{2})*/gi, (codes) => {
    try {
      return decodeURIComponent(codes)
    } catch {
      return codes
    }
  })
}

function fromBase64(text: string): string[] {
  return (text.match(BASE64) ?? []).map((word) => Buffer.from(word, 'base64').toString('utf8'))
}

function valuesOf(given: string): Record<string, string> {
  const pairs = given.split('; ').map((pair) => {
    const at = pair.indexOf(': ')
    return [pair.slice(0, at), pair.slice(at + 2)] as const
  })
  return Object.fromEntries(pairs.filter(([name]) => name !== ''))
}
