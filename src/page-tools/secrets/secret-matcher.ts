import { isSign, type SecretPattern } from './secret-patterns.ts'

/** Letters that don't belong to a secret: in a text, they stand for a sign, or for the gap between two elements. */
const ENTITIES = ['quot;', 'amp;', 'lt;', 'gt;']
const TEXT_LINE = 'text: '
const SPACE = 32

/**
 * Patterns that begin with the same letters. A branch is divided by the next letter only when a text leads there, so
 * the cost of a text doesn't grow with the patterns.
 */
class Branch {
  readonly entries: readonly SecretPattern[]
  /** A single pattern isn't divided. */
  readonly only: SecretPattern | undefined
  readonly #ended: SecretPattern[] = []
  #next: Map<number, Branch> | null = null

  constructor(entries: readonly SecretPattern[]) {
    this.entries = entries
    if (entries.length === 1) this.only = entries[0]
  }

  /** Patterns without further letters. */
  endedAt(depth: number): readonly SecretPattern[] {
    if (this.only) return this.only.letters.length === depth ? [this.only] : []
    this.#divided(depth)
    return this.#ended
  }

  after(code: number, depth: number): Branch | undefined {
    if (this.only) return this.only.letters.charCodeAt(depth) === code ? this : undefined
    return this.#divided(depth).get(code)
  }

  #divided(depth: number): ReadonlyMap<number, Branch> {
    if (this.#next) return this.#next
    const groups = new Map<number, SecretPattern[]>()
    for (const entry of this.entries) {
      const code = entry.letters.charCodeAt(depth)
      const group = groups.get(code)
      if (Number.isNaN(code)) this.#ended.push(entry)
      else if (group) group.push(entry)
      else groups.set(code, [entry])
    }
    this.#next = new Map([...groups].map(([code, group]) => [code, new Branch(group)]))
    return this.#next
  }
}

/**
 * Finds the first match of any pattern, and the longest at that place. A single expression of them all would try each
 * at each place. Here the letters of a text lead to the few patterns that may match, and only these are tried.
 */
export class SecretMatcher {
  readonly #withLetter: Branch
  readonly #withSign: Branch | null
  readonly #expressions = new Map<SecretPattern, RegExp>()

  constructor(patterns: Iterable<SecretPattern>) {
    const entries = [...patterns]
    const withSign = entries.filter(({ beginsWithSign }) => beginsWithSign)
    this.#withLetter = new Branch(entries.filter(({ beginsWithSign }) => !beginsWithSign))
    this.#withSign = withSign.length > 0 ? new Branch(withSign) : null
  }

  isIn(text: string): boolean {
    const signs = new SignRuns(text)
    for (let at = 0; at < text.length; at += 1) if (this.#endOf(signs, at) > 0) return true
    return false
  }

  replace(text: string, mask: string): string {
    let clean = ''
    let from = 0
    const signs = new SignRuns(text)
    for (let at = 0; at < text.length;) {
      const end = this.#endOf(signs, at)
      if (end > 0) {
        clean += text.slice(from, at) + mask
        from = end
        at = end
      } else at += 1
    }
    return from > 0 ? clean + text.slice(from) : text
  }

  /** End of the longest secret that begins at this place. 0: none. */
  #endOf(signs: SignRuns, at: number): number {
    const { text } = signs
    const code = text.charCodeAt(at)
    if (code <= SPACE || isInsidePair(text, at)) return 0
    const branch = isSign(code) ? this.#withSign : this.#withLetter
    if (!branch) return 0
    let end = 0
    for (const entry of likelyAt(signs, at, branch)) {
      const expression = this.#expressionOf(entry)
      expression.lastIndex = at
      if (expression.test(text)) end = Math.max(end, expression.lastIndex)
    }
    return end
  }

  #expressionOf(entry: SecretPattern): RegExp {
    const known = this.#expressions.get(entry)
    if (known) return known
    const made = new RegExp(entry.source(), 'uy')
    this.#expressions.set(entry, made)
    return made
  }
}

/** Whether the place is inside a surrogate pair, where an expression for whole characters finds nothing. */
function isInsidePair(text: string, at: number): boolean {
  return (
    at > 0 &&
    (text.charCodeAt(at) & 0xfc00) === 0xdc00 &&
    (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
  )
}

/** A text in which each run of signs is walked only once, however often it is read. */
class SignRuns {
  readonly text: string
  #ends: Int32Array | null = null

  constructor(text: string) {
    this.text = text
  }

  /** End of the run of signs at this place. For a letter, the place itself. */
  endAt(at: number): number {
    if (at >= this.text.length || !isSign(this.text.charCodeAt(at))) return at
    this.#ends ??= endsOfRuns(this.text)
    return this.#ends[at] ?? at
  }
}

function endsOfRuns(text: string): Int32Array {
  const ends = new Int32Array(text.length)
  let end = text.length
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (!isSign(text.charCodeAt(at))) end = at
    ends[at] = end
  }
  return ends
}

/** Ways to read one text. Beyond this, all patterns of the branch are tried. */
const MOST_READINGS = 50

/** A way to read the text up to a place, with the letters of a branch found so far. */
interface Reading {
  readonly at: number
  readonly depth: number
  readonly branch: Branch
}

/** Patterns whose letters all follow. */
function likelyAt(signs: SignRuns, start: number, branch: Branch): Iterable<SecretPattern> {
  const likely = new Set<SecretPattern>()
  const readings: Reading[] = [{ at: start, depth: 0, branch }]
  // The list grows while it is read: letters that may not belong to the value are read in both ways.
  for (const reading of readings) {
    if (readings.length > MOST_READINGS) return branch.entries
    readOn(signs, reading, { likely, readings })
  }
  return likely
}

function readOn(
  signs: SignRuns,
  { at: start, depth: before, branch: first }: Reading,
  { likely, readings }: { readonly likely: Set<SecretPattern>; readonly readings: Reading[] },
): void {
  const { text } = signs
  let depth = before
  let branch: Branch | undefined = first
  for (const one of branch.endedAt(depth)) likely.add(one)
  for (let at = signs.endAt(start); at < text.length; at = signs.endAt(at + 1)) {
    const code = text.charCodeAt(at)
    const added = at > start ? addedAt(text, at) : 0
    if (added > 0) addReading(readings, { at: at + added, depth, branch })
    branch = branch.after(code, depth)
    if (!branch) return
    depth += 1
    for (const one of branch.endedAt(depth)) likely.add(one)
  }
}

/** Counts the characters here that may not belong to the value: `&quot;`, `- text: `. */
function addedAt(text: string, at: number): number {
  const before = text.charAt(at - 1)
  if (before === '&') return ENTITIES.find((name) => text.startsWith(name, at))?.length ?? 0
  return before === ' ' && text.startsWith(TEXT_LINE, at) ? TEXT_LINE.length : 0
}

function addReading(readings: Reading[], added: Reading): void {
  const isKnown = readings.some(
    ({ at, depth, branch }) => at === added.at && depth === added.depth && branch === added.branch,
  )
  if (!isKnown) readings.push(added)
}
