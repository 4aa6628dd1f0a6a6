/** A token that matches one character, or parts one after the other, one of them, or one again and again. */
type Node = string | { readonly type: 'chain' | 'choice' | 'loop'; readonly of: readonly Node[] }

/** A part of the pattern, as the places in it that can match its first and its last character. */
interface Part {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly canBeEmpty: boolean
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

const EMPTY: Node = { type: 'chain', of: [] }

/** Places of a pattern that are looked at. */
const MOST_PLACES = 1000

/** So many repetitions of what varies in length itself are as bad as any number. */
const MANY = 10

/**
 * Whether a text can be matched by the pattern in exponentially many ways, all of which are tried when it
 * doesn't fit: two different walks through the pattern's places lead back to where they began over the
 * same characters (Weideman et al., "Analyzing Matching Time Behavior of Backtracking Regular Expression
 * Matchers", 2016). Long counted repetitions are taken for loops or for short ones.
 */
export function isExponential(pattern: string): boolean {
  const reader = new PatternReader(pattern)
  const whole = reader.choice()
  const graph = new PlaceGraph()
  for (const node of [whole, ...reader.lookarounds]) graph.build(node)
  return graph.hasTwoWays()
}

/** Reads a pattern that is one; of others, something. */
class PatternReader {
  /** What is looked at from a place is no part of the way from it. */
  readonly lookarounds: Node[] = []
  readonly #tokens: readonly string[]
  #at = 0

  constructor(pattern: string) {
    this.#tokens = pattern.match(TOKEN) ?? []
  }

  choice(): Node {
    const of: Node[] = []
    do {
      const chain: Node[] = []
      while (!/^[|)]?$/.test(this.#tokens[this.#at] ?? '')) chain.push(this.#repeated())
      of.push({ type: 'chain', of: chain })
    } while (this.#tokens[this.#at++] === '|')
    return { type: 'choice', of }
  }

  #repeated(): Node {
    const node = this.#single()
    const [, sign, min, comma, max] = REPETITION.exec(this.#tokens[this.#at] ?? '') ?? []
    if (sign === undefined && min === undefined) return node
    this.#at++
    if (sign) return repeat(node, sign === '+' ? 1 : 0, sign === '?' ? 1 : Infinity)
    return repeat(node, Number(min), comma ? Number(max || Infinity) : Number(min))
  }

  #single(): Node {
    const token = this.#tokens[this.#at++] ?? ''
    if (token[0] !== '(') return /^(?:[$^]|\\[bB])$/.test(token) ? EMPTY : token
    const inner = this.choice()
    if (!/[=!]$/.test(token)) return inner
    this.lookarounds.push(inner)
    return EMPTY
  }
}

function repeat(node: Node, min: number, max: number): Node {
  const isLoop = max - min > 4 || (max >= MANY && varies(node))
  const loop: Node = { type: 'loop', of: [node] }
  let rest: Node = isLoop ? (min === 0 ? optional(loop) : loop) : EMPTY
  for (let count = isLoop ? 0 : max - min; count > 0; count--)
    rest = optional({ type: 'chain', of: [node, rest] })
  const needed = Math.max(0, Math.min(min, 3) - (isLoop ? 1 : 0))
  return { type: 'chain', of: [...Array<Node>(needed).fill(node), rest] }
}

function optional(node: Node): Node {
  return { type: 'choice', of: [node, EMPTY] }
}

/** It can match texts of many lengths. */
function varies(node: Node): boolean {
  return typeof node !== 'string' && (node.type === 'loop' || node.of.some(varies))
}

/** A pattern's places, and which can follow which. */
class PlaceGraph {
  /** Of each place, the characters that it matches. */
  readonly #masks: bigint[] = []
  /** Of each place, those that can follow, and in how many ways. */
  readonly #ways: Map<number, number>[] = []
  /** Those inside of another come before it. */
  readonly #loops: Loop[] = []

  /** Adds the node's places, afresh each time. */
  build(node: Node): Part {
    if (typeof node === 'string') return this.#place(node)
    const from = this.#masks.length
    let part: Part = { first: [], last: [], canBeEmpty: node.type === 'chain' }
    for (const inner of node.of) {
      const next = this.build(inner)
      part = node.type === 'chain' ? this.#join(part, next) : either(part, next)
    }
    const [start] = part.first
    if (node.type === 'loop' && start !== undefined) {
      this.#link(part, part)
      this.#loops.push({ start, from, to: this.#masks.length })
    }
    return part
  }

  /** In some loop, two walks lead from a place back to it over the same characters. */
  hasTwoWays(): boolean {
    return this.#loops
      .filter(({ from }, index) => this.#loops.slice(index + 1).every((other) => other.from > from))
      .some((loop) => this.#divides(loop))
  }

  #place(token: string): Part {
    if (this.#masks.length === MOST_PLACES) return { first: [], last: [], canBeEmpty: true }
    const place = this.#masks.push(maskOf(token)) - 1
    this.#ways.push(new Map())
    return { first: [place], last: [place], canBeEmpty: false }
  }

  #join(head: Part, tail: Part): Part {
    this.#link(head, tail)
    return {
      first: head.canBeEmpty ? [...head.first, ...tail.first] : head.first,
      last: tail.canBeEmpty ? [...head.last, ...tail.last] : tail.last,
      canBeEmpty: head.canBeEmpty && tail.canBeEmpty,
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
  }
}

function maskOf(token: string): bigint {
  const test = expressionOf(token, 'u') ?? expressionOf(token, '') ?? /./s
  return SAMPLE.reduce((mask, sample) => (mask << 1n) | (test.test(sample) ? 1n : 0n), 0n)
}

function expressionOf(token: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(`^${token}$`, flags)
  } catch {
    return undefined
  }
}
