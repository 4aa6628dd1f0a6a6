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

const TOKEN =
  /\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?|[)|^$]|(?:[*+?]|\{\d+(?:,\d*)?\})\??|\\(?:[pPu]\{[^}]*\}|u[\da-fA-F]{4}|x..|c.|k<[^>]*>|\d+|.)|\[(?:\\.|[^\]\\])*\]|./gsu
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

/**
 * Whether a text can be matched by the pattern in exponentially many ways, all of which are tried when it
 * doesn't fit: two different walks through the pattern's places lead back to where they began over the
 * same characters (Weideman et al., "Analyzing Matching Time Behavior of Backtracking Regular Expression
 * Matchers", 2016). Long counted repetitions are taken for loops or for short ones, and what is nested too
 * deep to be read for bad.
 */
export function isExponential(pattern: string): boolean {
  return new PlaceGraph(pattern).hasTwoWays()
}

/** A pattern's places, and which can follow which. Reads a pattern that is one; of others, something. */
class PlaceGraph {
  readonly #tokens: readonly string[]
  #at = 0
  #depth = 0
  #isTooDeep = false
  /** Of each place, the characters that it matches. */
  readonly #masks: bigint[] = []
  /** Of each place, those that can follow, and in how many ways. */
  readonly #ways: Map<number, number>[] = []
  readonly #loops: Loop[] = []

  constructor(pattern: string) {
    this.#tokens = pattern.match(TOKEN) ?? []
    this.#choice()
  }

  /** In some loop, two walks lead from a place back to it over the same characters; or it isn't known. */
  hasTwoWays(): boolean {
    return this.#isTooDeep || this.#loops.some((loop) => this.#divides(loop))
  }

  get #token(): string {
    return this.#tokens[this.#at] ?? ''
  }

  #choice(): Part {
    let whole = this.#chain()
    while (this.#tokens[this.#at++] === '|') whole = either(whole, this.#chain())
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
    if (token[0] === '(') {
      const inner = this.#group()
      // What is looked at from a place is no part of the way from it.
      return /[=!]$/.test(token) ? EMPTY : inner
    }
    if (/^(?:[$^]|\\[bB])$/.test(token) || this.#masks.length === MOST_PLACES) return EMPTY
    const place = [this.#masks.push(maskOf(token)) - 1]
    this.#ways.push(new Map())
    return { first: place, last: place, canBeEmpty: false, varies: false }
  }

  #group(): Part {
    if (this.#depth === MOST_NESTED) {
      this.#isTooDeep = true
      this.#at = this.#tokens.length
      return EMPTY
    }
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
    this.#link(head, tail)
    return {
      first: head.canBeEmpty ? [...head.first, ...tail.first] : head.first,
      last: tail.canBeEmpty ? [...head.last, ...tail.last] : tail.last,
      canBeEmpty: head.canBeEmpty && tail.canBeEmpty,
      varies: head.varies || tail.varies,
    }
  }

  #link({ last }: Part, { first }: Part): void {
    for (const place of last) {
      const ways = this.#ways[place]
      for (const next of first) ways?.set(next, (ways.get(next) ?? 0) + 1)
    }
  }

  #divides({ start, from, to }: Loop): boolean {
    const seen = new Set<string>()
    const queue: [one: number, two: number, differed: boolean][] = [[start, start, false]]
    const isInside = (place: number): boolean => place >= from && place < to
    for (const [one, two, differed] of queue)
      for (const [nextOne, count] of this.#ways[one] ?? []) {
        if (!isInside(nextOne)) continue
        for (const nextTwo of this.#ways[two]?.keys() ?? []) {
          const common = (this.#masks[nextOne] ?? 0n) & (this.#masks[nextTwo] ?? 0n)
          if (!common || !isInside(nextTwo)) continue
          const differ = differed || nextOne !== nextTwo || (one === two && count > 1)
          if (differ && nextOne === start && nextTwo === start) return true
          const key = `${nextOne} ${nextTwo} ${differ}`
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
