import { Unreadable } from './diagnostic.ts'

/** Characters after a backslash. The characters that they stand for follow below, in the same order. */
const SIGNS = '0abt\tnvfre "/\\N_LP'
const CHARACTERS = '\0\x07\b\t\t\n\v\f\r\x1b "/\\\x85\xa0\u2028\u2029'

interface Quoted {
  readonly value: string
  /** Text after the closing quote. */
  readonly rest: string
}

/** Reads a quoted string at the beginning of a text, on one line (YAML 1.2.2, 7.3.1 and 7.3.2). */
export function readQuoted(text: string): Quoted {
  return text.startsWith("'") ? readSingle(text) : readDouble(text)
}

function readSingle(text: string): Quoted {
  const [all = '', inner = ''] = /^'((?:[^']|'')*)'/.exec(text) ?? []
  if (all === '') throw notClosed()
  return { value: inner.replaceAll("''", "'"), rest: text.slice(all.length) }
}

function readDouble(text: string): Quoted {
  const [all = '', inner = ''] = /^"((?:[^"\\]|\\.)*)"/.exec(text) ?? []
  if (all === '') throw notClosed()
  const value = inner.replaceAll(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|(.))/gi,
    (escape: string, ...found: (string | undefined)[]) => unescape(escape, found),
  )
  return { value, rest: text.slice(all.length) }
}

function unescape(escape: string, [x, u, U, sign]: readonly (string | undefined)[]): string {
  const digits = x ?? u ?? U
  if (digits === undefined) {
    const known = sign && CHARACTERS[SIGNS.indexOf(sign)]
    if (known === undefined) throw new Unreadable(`${escape} is no escape that is known`)
    return known
  }
  const isNamed = escape[1] === (x ? 'x' : u ? 'u' : 'U')
  const code = Number.parseInt(digits, 16)
  if (!isNamed || code > 0x10_ffff) throw new Unreadable(`${escape} is no character`)
  return String.fromCodePoint(code)
}

function notClosed(): Unreadable {
  return new Unreadable('the quote is not closed on its line; write long texts with > or |')
}
