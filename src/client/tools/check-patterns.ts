import { OffstageError } from '../../protocol/error.ts'

/** A part of the pattern, given by the places that can match its first and its last character. */
interface Part {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly canBeEmpty: boolean
  /** True if it can match texts of many lengths. */
  readonly varies: boolean
}

interface Loop {
  readonly start: number
  /** Range of the loop's places. Each of them can reach every other. */
  readonly from: number
  readonly to: number
}

/** Takes linear time: names have a maximum length, and an unclosed class, which is invalid, is one token. */
const TOKEN =
  /\((?:\?(?:<?[=!]|<[^>]{0,200}>|[a-z-]*:))?|[)|^$]|(?:[*+?]|\{\d+(?:,\d*)?\})\??|\\(?:[pPu]\{[^}]{0,200}\}|u[\da-fA-F]{4}|x..|c.|k<[^>]{0,200}>|\d+|.)|\[(?:\\.|[^\]\\])*(?:\]|$)|./gsu
const REPETITION = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??$/

/** Characters by which places are compared: all of ASCII, and some beyond. */
const SAMPLE = [...Array(128).keys(), 0xa0, 0xe9, 0x416, 0x4e2d, 0x2028, 0x1f600].map((code) =>
  String.fromCodePoint(code),
)

const EMPTY: Part = { first: [], last: [], canBeEmpty: true, varies: false }

/** Most places of a pattern that are examined. */
const MOST_PLACES = 1000

/** Most groups within groups that are read, as the call stack is limited. */
const MOST_NESTED = 100

/** From this many repetitions on, a part whose length varies is as bad as with any number. */
const MANY = 10

/** Steps that a check may still take. All patterns of a schema share them. */
export interface Effort {
  left: number
}

/**
 * A few hundredths of a second. Patterns that people write take some hundred steps, those with many choices some
 * thousand.
 */
const MOST_STEPS = 100_000
/** Steps to read a token, to find out what it matches, and to test a character property in it, which is slow. */
const READ_STEPS = 3
const TOKEN_STEPS = 30
const PROPERTY_STEPS = 1000
/** Places that are copied in one step. */
const COPIED = 16

export function someEffort(): Effort {
  return { left: MOST_STEPS }
}

/**
 * Whether the pattern can match a text in exponentially many ways, all of which are tried when the text doesn't fit. It
 * can if two different walks through the pattern's places return to where they began over the same characters. See
 * Weideman et al., "Analyzing Matching Time Behavior of Backtracking Regular Expression Matchers", 2016. Long counted
 * repetitions are treated as loops, or as short ones. Patterns that are nested too deep, or take too many steps, count
 * as exponential.
 */
export function isExponential(pattern: string, effort: Effort = someEffort()): boolean {
  return new PlaceGraph(pattern, effort).hasTwoWays()
}

/** The places of a pattern, and which can follow which. The result for an invalid pattern is arbitrary. */
class PlaceGraph {
  readonly #tokens: readonly string[]
  #at = 0
  #depth = 0
  /** The pattern can't be read to its end. */
  #isTooMuch = false
  readonly #effort: Effort
  readonly #known = new Map<string, bigint>()
  /** Characters that each place matches, as a bit mask over `SAMPLE`. */
  readonly #masks: bigint[] = []
  /** Places that can follow each place, and in how many ways. */
  readonly #ways: Map<number, number>[] = []
  readonly #loops: Loop[] = []

  constructor(pattern: string, effort: Effort) {
    this.#effort = effort
    this.#tokens = pattern.match(TOKEN) ?? []
    this.#choice()
  }

  /** True if two walks of a loop lead from a place back to it over the same characters, or if that isn't known. */
  hasTwoWays(): boolean {
    return (
      this.#isTooMuch || this.#effort.left < 0 || this.#loops.some((loop) => this.#divides(loop))
    )
  }

  /** Returns false once no effort is left. */
  #spend(steps: number): boolean {
    this.#effort.left -= steps
    return this.#effort.left >= 0
  }

  #giveUp(): Part {
    this.#isTooMuch = true
    this.#at = this.#tokens.length
    return EMPTY
  }

  get #token(): string {
    return this.#tokens[this.#at] ?? ''
  }

  #choice(): Part {
    let whole = this.#chain()
    while (this.#tokens[this.#at++] === '|') {
      this.#spend((whole.first.length + whole.last.length) / COPIED)
      whole = either(whole, this.#chain())
    }
    return whole
  }

  #chain(): Part {
    let whole = EMPTY
    while (!/^[|)]?$/.test(this.#token)) whole = this.#join(whole, this.#repeated())
    return whole
  }

  #repeated(): Part {
    const [begin, from] = [this.#at, this.#masks.length]
    const part = this.#single()
    const [all, sign, least, comma, most] = REPETITION.exec(this.#token) ?? []
    if (!all) return part
    const end = this.#at + 1
    const min = sign ? Number(sign === '+') : Number(least)
    const max = sign === '?' ? 1 : sign || (comma && !most) ? Infinity : Number(most || least)
    const isLoop = max - min > 4 || (max >= MANY && part.varies)
    // Each copy needs places of its own: the first was read, the others are read again.
    let unused: Part | undefined = isLoop ? undefined : part
    const copy = (): Part => {
      const first = unused
      unused = undefined
      this.#at = begin
      return first ?? this.#single()
    }
    let whole = isLoop ? this.#loop(part, from) : EMPTY
    if (min === 0) whole = either(whole, EMPTY)
    for (let more = isLoop ? 0 : max - min; more > 0; more--)
      whole = either(this.#join(copy(), whole), EMPTY)
    for (let needed = Math.min(min, 3) - Number(isLoop); needed > 0; needed--)
      whole = this.#join(copy(), whole)
    this.#at = end
    return whole
  }

  #single(): Part {
    const token = this.#token
    this.#at++
    if (this.#isTooMuch || !this.#spend(READ_STEPS)) return this.#giveUp()
    if (token[0] === '(') {
      const inner = this.#group()
      // A lookahead or lookbehind consumes nothing, so its places are no part of the path.
      return /[=!]$/.test(token) ? EMPTY : inner
    }
    if (/^(?:[$^]|\\[bB])$/.test(token) || this.#masks.length === MOST_PLACES) return EMPTY
    const place = [this.#masks.push(this.#maskOf(token)) - 1]
    this.#ways.push(new Map())
    return { first: place, last: place, canBeEmpty: false, varies: false }
  }

  #maskOf(token: string): bigint {
    const known = this.#known.get(token)
    if (known !== undefined || this.#effort.left < 0) return known ?? 0n
    const properties = token.match(/\\p/gi)?.length ?? 0
    this.#spend(TOKEN_STEPS + token.length + properties * PROPERTY_STEPS)
    const mask = maskOf(token)
    this.#known.set(token, mask)
    return mask
  }

  #group(): Part {
    if (this.#depth === MOST_NESTED) return this.#giveUp()
    this.#depth++
    const inner = this.#choice()
    this.#depth--
    return inner
  }

  #loop(part: Part, from: number): Part {
    const [start] = part.first
    this.#link(part, part)
    if (start !== undefined) this.#loops.push({ start, from, to: this.#masks.length })
    return { ...part, varies: true }
  }

  #join(head: Part, tail: Part): Part {
    this.#spend((head.first.length + tail.last.length) / COPIED)
    this.#link(head, tail)
    return {
      first: head.canBeEmpty ? [...head.first, ...tail.first] : head.first,
      last: tail.canBeEmpty ? [...head.last, ...tail.last] : tail.last,
      canBeEmpty: head.canBeEmpty && tail.canBeEmpty,
      varies: head.varies || tail.varies,
    }
  }

  #link({ last }: Part, { first }: Part): void {
    if (!this.#spend(last.length * first.length)) return
    for (const place of last) {
      const ways = this.#ways[place]
      for (const next of first) ways?.set(next, (ways.get(next) ?? 0) + 1)
    }
  }

  #divides({ start, from, to }: Loop): boolean {
    const seen = new Set<number>()
    const queue: [one: number, two: number, differed: boolean][] = [[start, start, false]]
    const isInside = (place: number): boolean => place >= from && place < to
    for (const [one, two, differed] of queue)
      for (const [nextOne, count] of this.#ways[one] ?? []) {
        if (!isInside(nextOne)) continue
        for (const nextTwo of this.#ways[two]?.keys() ?? []) {
          if (!this.#spend(1)) return true
          const common = (this.#masks[nextOne] ?? 0n) & (this.#masks[nextTwo] ?? 0n)
          if (!common || !isInside(nextTwo)) continue
          const differ = differed || nextOne !== nextTwo || (one === two && count > 1)
          if (differ && nextOne === start && nextTwo === start) return true
          const key = (nextOne * MOST_PLACES + nextTwo) * 2 + Number(differ)
          if (!seen.has(key)) queue.push([nextOne, nextTwo, differ])
          seen.add(key)
        }
      }
    return false
  }
}

function either(one: Part, two: Part): Part {
  return {
    first: [...one.first, ...two.first],
    last: [...one.last, ...two.last],
    canBeEmpty: one.canBeEmpty || two.canBeEmpty,
    varies: one.varies || two.varies,
  }
}

function maskOf(token: string): bigint {
  const test = expressionOf(token, 'u') ?? expressionOf(token, '') ?? /./s
  return SAMPLE.reduce((mask, sample) => (mask << 1n) | BigInt(test.test(sample)), 0n)
}

function expressionOf(token: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(`^${token}$`, flags)
  } catch {
    return undefined
  }
}

/** `DATA`: keywords whose values are data. `NAMED`: keywords whose values are schemas by name. */
const DATA = /^(const|default|enum|examples)$/
const NAMED = /^(properties|patternProperties|dependentSchemas|\$defs|definitions)$/

/**
 * Throws `schema-unsupported` for a pattern that could hang the worker on a model's input: a running regular
 * expression can't be stopped. Also throws if a pattern takes too long to judge, since schemas may be untrusted, too.
 */
export function checkPatterns(schema: unknown, of: string, effort: Effort = someEffort()): void {
  for (const pattern of patternsIn(schema)) checkPattern(pattern, of, effort)
}

/** The first invalid regular expression, which would make every call fail. Undefined if all are valid. */
export function brokenPattern(schema: unknown): string | undefined {
  for (const pattern of patternsIn(schema))
    try {
      void new RegExp(String(pattern), 'u')
    } catch {
      return String(pattern)
    }
  return undefined
}

function* patternsIn(schema: unknown): Generator<unknown> {
  if (typeof schema !== 'object' || schema === null) return
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'pattern') yield value
    if (keyword === 'patternProperties') yield* Object.keys(value ?? {})
    if (NAMED.test(keyword))
      for (const named of Object.values(value ?? {})) yield* patternsIn(named)
    else if (!DATA.test(keyword)) yield* patternsIn(value)
  }
}

function checkPattern(pattern: unknown, of: string, effort: Effort): void {
  if (typeof pattern === 'string' && isExponential(pattern, effort))
    throw new OffstageError(
      'schema-unsupported',
      `The pattern ${pattern} ${of} may take forever on some inputs. Write it without nested repetition, or check the input in execute().`,
    )
}
