/** Part of a pattern, as the places in it that can match its first and its last character. */
interface Part {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly canBeEmpty: boolean
}

/** Adds the part's places to the graph, afresh at each call. */
interface Node {
  build(): Part
  /** It can match texts of many lengths. */
  readonly varies: boolean
}

const TOKEN =
  /\(\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:)|[()|^$]|(?:[*+?]|\{\d+(?:,\d*)?\})\??|\\(?:[pPu]\{[^}]*\}|u[\da-fA-F]{4}|x..|c.|k<[^>]*>|\d+|.)|\[(?:\\.|[^\]\\])*\]|./gsu

/** Characters by which places are compared: all of ASCII, and some beyond it. */
const SAMPLE = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...'\xa0éßЖ中\u2028😀',
]

const EMPTY: Node = { varies: false, build: () => ({ first: [], last: [], canBeEmpty: true }) }

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
  const tokens = pattern.match(TOKEN) ?? []
  const masks: bigint[] = []
  /** From place to place, in how many ways. */
  const ways: Map<number, number>[] = []
  /** First and last place of each loop, what is in it before it: from any of them all can be reached. */
  const loops: [from: number, to: number][] = []
  let at = 0

  const link = (from: Part, to: Part): void => {
    for (const last of from.last)
      for (const first of to.first) ways[last]?.set(first, (ways[last].get(first) ?? 0) + 1)
  }
  const atom = (token: string): Node => ({
    varies: false,
    build() {
      if (masks.length === MOST_PLACES) return EMPTY.build()
      const place = masks.push(maskOf(token)) - 1
      ways.push(new Map())
      return { first: [place], last: [place], canBeEmpty: false }
    },
  })
  const both = (one: Node, two: Node): Node => ({
    varies: one.varies || two.varies,
    build() {
      const [head, tail] = [one.build(), two.build()]
      link(head, tail)
      return {
        first: head.canBeEmpty ? [...head.first, ...tail.first] : head.first,
        last: tail.canBeEmpty ? [...head.last, ...tail.last] : tail.last,
        canBeEmpty: head.canBeEmpty && tail.canBeEmpty,
      }
    },
  })
  const either = (one: Node, two: Node): Node => ({
    varies: one.varies || two.varies,
    build() {
      const [left, right] = [one.build(), two.build()]
      return {
        first: [...left.first, ...right.first],
        last: [...left.last, ...right.last],
        canBeEmpty: left.canBeEmpty || right.canBeEmpty,
      }
    },
  })
  const loop = (node: Node): Node => ({
    varies: true,
    build() {
      const from = masks.length
      const part = node.build()
      link(part, part)
      loops.push([from, masks.length])
      return part
    },
  })
  const repeat = (node: Node, min: number, max: number): Node => {
    const isLoop = max - min > 4 || (node.varies && max >= MANY)
    let repeated = isLoop ? loop(node) : EMPTY
    if (isLoop && min === 0) repeated = either(repeated, EMPTY)
    const needed = Math.min(min, 3) - (isLoop ? 1 : 0)
    for (let count = Math.min(max - min, 4); !isLoop && count > 0; count--)
      repeated = either(both(node, repeated), EMPTY)
    for (let count = 0; count < needed; count++) repeated = both(node, repeated)
    return repeated
  }
  const choice = (): Node => {
    let chosen: Node | undefined
    do {
      let read = EMPTY
      while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')')
        read = both(read, quantified())
      chosen = chosen ? either(chosen, read) : read
    } while (tokens[at++] === '|')
    return chosen
  }
  const quantified = (): Node => {
    const token = tokens[at++] ?? ''
    let node = EMPTY
    if (token[0] === '(') {
      const inner = choice()
      // What is looked at from a place is no part of the way from it: a graph of its own.
      if (/[=!]$/.test(token)) inner.build()
      else node = inner
    } else if (!/^(?:[$^]|\\[bB])$/.test(token)) node = atom(token)
    const [, sign, min = 0, comma, max] =
      /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??$/.exec(tokens[at] ?? '') ?? []
    if (sign === undefined && !min) return node
    at++
    if (sign) return repeat(node, sign === '+' ? 1 : 0, sign === '?' ? 1 : Infinity)
    return repeat(node, Number(min), comma ? Number(max || Infinity) : Number(min))
  }

  choice().build()
  const isOutermost = ([from]: readonly [number, number], index: number): boolean =>
    loops.every(([other], later) => later <= index || other > from)
  return loops.filter(isOutermost).some((loop) => hasTwoWays(loop, masks, ways))
}

/** Two walks in the loop from its first place back to it, over the same characters. */
function hasTwoWays(
  [start, end]: readonly [from: number, to: number],
  masks: readonly bigint[],
  ways: readonly ReadonlyMap<number, number>[],
): boolean {
  const seen = new Set<string>()
  const queue: [one: number, two: number, differ: boolean][] = [[start, start, false]]
  for (const [one, two, differed] of queue) {
    for (const [nextOne, count] of ways[one] ?? [])
      for (const nextTwo of ways[two]?.keys() ?? []) {
        if (Math.min(nextOne, nextTwo) < start || Math.max(nextOne, nextTwo) >= end) continue
        if (!((masks[nextOne] ?? 0n) & (masks[nextTwo] ?? 0n))) continue
        const differ = differed || nextOne !== nextTwo || (one === two && count > 1)
        if (differ && nextOne === start && nextTwo === start) return true
        const key = `${nextOne} ${nextTwo} ${differ}`
        if (!seen.has(key)) queue.push([nextOne, nextTwo, differ])
        seen.add(key)
      }
  }
  return false
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
