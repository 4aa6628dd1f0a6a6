/** A part of the pattern, as the places in it that can match its first and its last character. */
interface Part {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly canBeEmpty: boolean
  /** It can match texts of many lengths. */
  readonly varies: boolean
}

interface Loop {
  readonly start: number
  /** Its places, from and to: each can be reached from each. */
  readonly from: number
  readonly to: number
}

/** Names have a limit, and a class that isn't closed, which is no pattern, is one token: time is linear. */
const TOKEN =
  /\((?:\?(?:<?[=!]|<[^>]{0,200}>|[a-z-]*:))?|[)|^$]|(?:[*+?]|\{\d+(?:,\d*)?\})\??|\\(?:[pPu]\{[^}]{0,200}\}|u[\da-fA-F]{4}|x..|c.|k<[^>]{0,200}>|\d+|.)|\[(?:\\.|[^\]\\])*(?:\]|$)|./gsu
const REPETITION = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??$/

/** Characters by which places are compared: all of ASCII, and some beyond it. */
const SAMPLE = [...Array(128).keys(), 0xa0, 0xe9, 0x416, 0x4e2d, 0x2028, 0x1f600].map((code) =>
  String.fromCodePoint(code),
)

const EMPTY: Part = { first: [], last: [], canBeEmpty: true, varies: false }

/** Places of a pattern that are looked at. */
const MOST_PLACES = 1000

/** Groups within groups that are read: the call stack has an end. */
const MOST_NESTED = 100

/** So many repetitions of what varies in length itself are as bad as any number. */
const MANY = 10

/** What a check may cost, in steps. It is used up by the patterns of a schema together. */
export interface Effort {
  left: number
}

/** A few hundredths of a second. Patterns that people write take some hundred, those of many choices some thousand. */
const MOST_STEPS = 100_000
/** To read a token, to find out what it matches, and what a property of characters in it does, which is slow. */
const READ_STEPS = 3
const TOKEN_STEPS = 30
const PROPERTY_STEPS = 1000
/** So many places are copied in a step. */
const COPIED = 16

export function someEffort(): Effort {
  return { left: MOST_STEPS }
}

/**
 * Whether a text can be matched by the pattern in exponentially many ways, all of which are tried when it
 * doesn't fit: two different walks through the pattern's places lead back to where they began over the
 * same characters (Weideman et al., "Analyzing Matching Time Behavior of Backtracking Regular Expression
 * Matchers", 2016). Long counted repetitions are taken for loops or for short ones; what is nested too
 * deep to be read, and what takes more effort than there is, for bad.
 */
export function isExponential(pattern: string, effort: Effort = someEffort()): boolean {
  return new PlaceGraph(pattern, effort).hasTwoWays()
}

/** A pattern's places, and which can follow which. Reads a pattern that is one; of others, something. */
class PlaceGraph {
  readonly #tokens: readonly string[]
  #at = 0
  #depth = 0
  /** It can't be read to its end. */
  #isTooMuch = false
  readonly #effort: Effort
  readonly #known = new Map<string, bigint>()
  /** Of each place, the characters that it matches. */
  readonly #masks: bigint[] = []
  /** Of each place, those that can follow, and in how many ways. */
  readonly #ways: Map<number, number>[] = []
  readonly #loops: Loop[] = []

  constructor(pattern: string, effort: Effort) {
    this.#effort = effort
    this.#tokens = pattern.match(TOKEN) ?? []
    this.#choice()
  }

  /** In some loop, two walks lead from a place back to it over the same characters; or it isn't known. */
  hasTwoWays(): boolean {
    return (
      this.#isTooMuch || this.#effort.left < 0 || this.#loops.some((loop) => this.#divides(loop))
    )
  }

  /** False: no effort is left. */
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
    // Each copy has places of its own: the first was read, the others are read again.
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
      // What is looked at from a place is no part of the way from it.
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
