import type { JsonValue } from '../../protocol/json.ts'
import { setOwn } from '../call-arguments.ts'
import { parameterNamePattern } from './foreign-call.ts'
import { isInexact } from '../../lib/json/exact-numbers.ts'
import { lazyPattern, once } from '../../lib/once.ts'
import { decodeEntities, dropOuterLines } from '../xml.ts'

/** Maximum number of closers that may appear as text inside a value. */
const maxCandidates = 20

/** End of a value that is raw text between tags. */
interface ValueEnd {
  /**
   * Global pattern for four kinds of marks, in this order:
   * a closer of the value (group 1: a parameter or the call's end follows it);
   * the call's closer (group 2);
   * the opener of a call that has parameters (group 3);
   * a parameter's opener (group 4: its name).
   */
  readonly marks: RegExp
  /** Whether a parameter may have this name. */
  readonly isName: (name: string) => boolean
}

/**
 * Reads to the value's end (R10). This is the first closer that a parameter or the call's end follows, otherwise the
 * first closer. Without a closer, the next parameter or the call's end ends the value. A value never extends past the
 * opener of another call. Throws `Unreadable`.
 */
export function readTaggedValue(reader: LiteralReader, { marks, isName }: ValueEnd): string {
  const { text, at: start } = reader
  let first: { readonly end: number; readonly next: number } | undefined
  let count = 0
  marks.lastIndex = start
  const finish = (at: number, next: number): string => {
    reader.at = next
    return text.slice(start, at)
  }
  for (let found = marks.exec(text); found; found = marks.exec(text)) {
    const [whole, follower, callCloser, call, parameter] = found
    const at = found.index
    if (call !== undefined) break
    if (callCloser === undefined && parameter === undefined) {
      const next = at + whole.length - (follower?.length ?? 0)
      if (follower !== undefined) return finish(at, next)
      first ??= { end: at, next }
      if (++count === maxCandidates) break
      marks.lastIndex = next
    } else if (callCloser !== undefined) {
      if (first) break
      return finish(at, at)
    } else if (!first && isName(parameter ?? '')) return finish(at, at)
  }
  if (!first) throw new Unreadable('cut off')
  return finish(first.end, first.next)
}

/** Patterns of a format in which each name is followed by its value. */
interface PairSyntax {
  /** The pattern before the value. Group 1 is the name. */
  readonly key: string
  /** The start of the next pair. */
  readonly next: string
  readonly closer: string
  readonly call: string
  readonly callCloser: string
}

interface PairPatterns extends ValueEnd {
  readonly key: RegExp
  readonly end: RegExp
}

const pairPatterns = once<readonly PairPatterns[]>(() => [
  // GLM, and LongCat with a prefix.
  ...['', 'longcat_'].map((prefix) =>
    makePatterns({
      key: `<${prefix}arg_key>([^<]*)</${prefix}arg_key>\\s*(?:<arg_type>\\w*</arg_type>\\s*)?<${prefix}arg_value>`,
      next: `<${prefix}arg_key>`,
      closer: `</${prefix}arg_value>`,
      call: `<${prefix}tool_call>`,
      callCloser: `</${prefix}tool_call>`,
    }),
  ),
  // Solar
  makePatterns({
    key: '<\\|tool_arg:start\\|>([^<]*)<\\|tool_arg:value\\|>',
    next: '<\\|tool_arg:start\\|>',
    closer: '<\\|tool_arg:end\\|>',
    call: '<\\|tool_call:start\\|>',
    callCloser: '<\\|tool_call:end\\|>',
  }),
  // Kimi K3
  makePatterns({
    key: '<\\|open\\|>argument key="([^"]*)"[^<]*<\\|sep\\|>',
    next: '<\\|open\\|>argument',
    closer: '<\\|close\\|>argument<\\|sep\\|>',
    call: '<\\|open\\|>call[^<]{0,100}<\\|sep\\|>',
    callCloser: '<\\|close\\|>call<\\|sep\\|>',
  }),
])

/** Reads pairs of name and value up to the call's closer. Throws `Unreadable`. */
export function readArgumentPairs(reader: LiteralReader): [string, string][] {
  const texts: [string, string][] = []
  for (const patterns of pairPatterns()) {
    for (let found = reader.match(patterns.key); found; found = reader.match(patterns.key))
      texts.push([
        decodeEntities((found[1] ?? '').trim()),
        dropOuterLines(readTaggedValue(reader, patterns)),
      ])
    if (reader.match(patterns.end)) return texts
    if (texts.length > 0) break
  }
  throw new Unreadable(reader.text.slice(reader.at).trim() ? 'not a literal' : 'cut off')
}

function makePatterns({ key, next, closer, call, callCloser }: PairSyntax): PairPatterns {
  return {
    key: new RegExp(`\\s*${key}`, 'y'),
    end: new RegExp(`\\s*(?=${callCloser})`, 'y'),
    marks: new RegExp(
      `${closer}(\\s*(?:${next}|${callCloser}|$))?|(${callCloser}(?![ \\t]*[^\\s<]|\\s*${closer}))|(${call}[^<]{0,100}${next})`,
      'g',
    ),
    isName: () => false,
  }
}

/** The text is not a literal. `cut`: more text could have made it one. */
export class Unreadable extends Error {
  readonly cut: boolean

  constructor(reason: 'cut off' | 'not a literal') {
    super(reason)
    this.cut = reason === 'cut off'
  }
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  '0': '\0',
  a: '\u0007',
  '\n': '',
}
const constants: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['None', null],
])
/** Marks around a text without escapes. */
export const textMarks: readonly string[] = ['<escape>', '<|"|>']
/** Opener and closers of a section. Strings can't extend beyond it. */
interface Limit {
  readonly opener: string
  readonly closers: readonly string[]
}
const key = lazyPattern(() => parameterNamePattern, 'uy')
const maxNesting = 150

/** Reads JSON and Python literals, which models write as arguments. Throws `Unreadable`. */
export class LiteralReader {
  readonly text: string
  at: number
  /** A limit cut the output off at the end of the text, so the text's end doesn't close a value (R6). */
  readonly isCut: boolean
  /** Limits of the sections around the reader. */
  limits: readonly Limit[] = []
  #depth = 0

  constructor(text: string, at: number = 0, isCut: boolean = false) {
    this.text = text
    this.at = at
    this.isCut = isCut
  }

  get ended(): boolean {
    return this.at >= this.text.length
  }

  skipSpace(): void {
    while (this.at < this.text.length && this.text.charCodeAt(this.at) <= 32) this.at++
  }

  /** Consumes the string if it comes next, after white space. */
  take(expected: string): boolean {
    this.skipSpace()
    if (!this.text.startsWith(expected, this.at)) return false
    this.at += expected.length
    return true
  }

  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found) this.at = pattern.lastIndex
    return found ?? undefined
  }

  fail(): never {
    throw new Unreadable(this.ended ? 'cut off' : 'not a literal')
  }

  value(): JsonValue {
    this.skipSpace()
    const char = this.text[this.at] ?? this.fail()
    if (char === '{') return this.#object()
    if (char === '[') return this.#list('[', ']')
    if (char === '(') return this.#list('(', ')')
    if (char === '"' || char === "'") return this.string()
    const mark = this.#textMark()
    if (mark !== undefined) return this.#marked(mark)
    return this.#constantOrNumber()
  }

  string(): string {
    const quote = this.text[this.at] ?? this.fail()
    const long = quote.repeat(3)
    return this.#quoted(this.text.startsWith(long, this.at) ? long : quote)
  }

  #quoted(quote: string): string {
    this.at += quote.length
    const from = this.at
    let value = ''
    let start = from
    for (;;) {
      const char = this.text[this.at] ?? this.fail()
      if (char === quote[0] && this.text.startsWith(quote, this.at)) break
      if (char !== '\\') {
        this.at++
        continue
      }
      value += this.text.slice(start, this.at) + this.#escape()
      start = this.at
    }
    value += this.text.slice(start, this.at)
    this.#checkLimits(from)
    this.at += quote.length
    return value
  }

  #escape(): string {
    const char = this.text[this.at + 1] ?? this.fail()
    const hex = this.match(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|U([\da-fA-F]{8}))/y)
    if (hex) {
      const code = parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16)
      return code > 0x10ffff ? hex[0] : String.fromCodePoint(code)
    }
    this.at += 2
    if (Object.hasOwn(escapes, char)) return escapes[char] ?? ''
    return /["'\\/`]/.test(char) ? char : `\\${char}`
  }

  #textMark(): string | undefined {
    return textMarks.find((mark) => this.text.startsWith(mark, this.at))
  }

  #marked(mark: string): string {
    const from = this.at + mark.length
    const end = this.text.indexOf(mark, from)
    if (end < 0) throw new Unreadable('cut off')
    this.at = end
    this.#checkLimits(from)
    this.at = end + mark.length
    return this.text.slice(from, end)
  }

  /**
   * Rejects an unclosed string that seems to end only after its section. A line break or another opener after a closer
   * in the string shows this.
   */
  #checkLimits(from: number): void {
    if (this.limits.length === 0) return
    const value = this.text.slice(from, this.at)
    for (const { opener, closers } of this.limits) {
      for (const closer of closers) {
        const at = value.indexOf(closer)
        if (at >= 0 && (value.includes('\n', at) || value.includes(opener, at)))
          throw new Unreadable('not a literal')
      }
    }
  }

  #constantOrNumber(): JsonValue {
    const found = this.match(/[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z_]\w*/y)?.[0]
    if (found === undefined) this.fail()
    if (this.ended) throw new Unreadable('cut off')
    if (constants.has(found)) return constants.get(found) ?? null
    const digits = found.replaceAll('_', '')
    const number = Number(digits)
    if (Number.isNaN(number)) throw new Unreadable('not a literal')
    return isInexact(digits) ? digits : number
  }

  #list(open: string, close: string): JsonValue[] {
    return this.#nested(() => {
      this.take(open)
      const list: JsonValue[] = []
      while (!this.take(close)) {
        list.push(this.value())
        if (!this.take(',') && !this.#isNext(close)) this.fail()
      }
      return list
    })
  }

  #object(): JsonValue {
    return this.#nested(() => {
      this.take('{')
      const object: Record<string, JsonValue> = {}
      while (!this.take('}')) {
        const key = this.#key()
        if (!this.take(':') || Object.hasOwn(object, key)) this.fail()
        setOwn(object, key, this.value())
        if (!this.take(',') && !this.#isNext('}')) this.fail()
      }
      return object
    })
  }

  #key(): string {
    this.skipSpace()
    const char = this.text[this.at] ?? this.fail()
    if (char === '"' || char === "'") return this.string()
    const mark = this.#textMark()
    return mark === undefined ? (this.match(key())?.[0] ?? this.fail()) : this.#marked(mark)
  }

  #isNext(char: string): boolean {
    this.skipSpace()
    return this.text[this.at] === char
  }

  #nested<T>(readItems: () => T): T {
    if (++this.#depth > maxNesting) throw new Unreadable('not a literal')
    const value = readItems()
    this.#depth--
    return value
  }
}
