/** Reads one character's worth at a place: how much of the text it takes, 0 where it doesn't match. */
export type Width = (text: string, at: number) => number

/** A step of a compiled pattern; places of the program are given relative to the step. */
export type Step =
  | { readonly type: 'take'; readonly width: Width }
  | { readonly type: 'edge'; readonly isStart: boolean }
  | { readonly type: 'boundary'; readonly isWanted: boolean }
  | { readonly type: 'jump'; readonly by: number }
  /** Goes on at `first`, and at `second` if that fails. */
  | { readonly type: 'split'; readonly first: number; readonly second: number }
  /** A round of a loop starts; one that takes nothing ends the loop. */
  | { readonly type: 'round'; readonly loop: number }
  | { readonly type: 'taken'; readonly loop: number }
  | { readonly type: 'save'; readonly slot: number }
  | { readonly type: 'again'; readonly group: number }
  | {
      readonly type: 'look'
      readonly program: readonly Step[]
      readonly isWanted: boolean
      /** Behind: how far back it may begin; it ends here. */
      readonly back: number
    }

export interface Pattern {
  readonly program: readonly Step[]
  readonly isMultiline: boolean
  readonly isUnicode: boolean
  /** Matches only at the position where it is tried. */
  readonly isFixed: boolean
}

/** A pattern as the program of a backtracking matcher. Throws at syntax that the reader's patterns don't use. */
export function compilePattern(pattern: RegExp): Pattern {
  const program = new Compiler(pattern).program()
  const isMultiline = pattern.multiline
  const isAnchored = program[0]?.type === 'edge' && program[0].isStart && !isMultiline
  return { program, isMultiline, isUnicode: pattern.unicode, isFixed: pattern.sticky || isAnchored }
}

const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})(\??)/
const escaped = /^\\(?:u[\da-fA-F]{4}|u\{[\da-fA-F]+\}|x[\da-fA-F]{2}|[pP]\{[^}]*\}|[^])/

class Compiler {
  readonly #source: string
  readonly #flags: string
  #at = 0
  #groups = 0
  /** Places of loops, after those of the groups. */
  #loops = 40

  constructor(pattern: RegExp) {
    this.#source = pattern.source
    this.#flags = pattern.flags.replaceAll(/[gyd]/g, '')
  }

  program(): Step[] {
    const steps = this.#alternatives()
    if (this.#at < this.#source.length) this.#unknown()
    return steps
  }

  get #rest(): string {
    return this.#source.slice(this.#at)
  }

  #unknown(): never {
    throw new Error(`/${this.#source}/ is beyond the step counter, at ${this.#at}`)
  }

  #alternatives(): Step[] {
    const first = this.#sequence()
    if (this.#source[this.#at] !== '|') return first
    this.#at++
    const second = this.#alternatives()
    return [
      { type: 'split', first: 0, second: first.length + 1 },
      ...first,
      { type: 'jump', by: second.length },
      ...second,
    ]
  }

  #sequence(): Step[] {
    const steps: Step[] = []
    while (this.#rest !== '' && !'|)'.includes(this.#source[this.#at] ?? ''))
      steps.push(...this.#quantified())
    return steps
  }

  #quantified(): Step[] {
    const atom = this.#atom()
    const found = quantifier.exec(this.#rest)
    if (!found) return atom
    this.#at += found[0].length
    const lazy = found[4] === '?'
    const [mark] = found[0]
    if (mark === '?') return optional(atom, lazy)
    if (mark === '*') return this.#loop(atom, lazy)
    if (mark === '+') return [...atom, ...this.#loop(atom, lazy)]
    const min = Number(found[1])
    const must = Array.from({ length: min }, () => atom).flat()
    if (!found[2]) return must
    if (!found[3]) return [...must, ...this.#loop(atom, lazy)]
    let may: Step[] = []
    for (let count = min; count < Number(found[3]); count++) may = optional([...atom, ...may], lazy)
    return [...must, ...may]
  }

  #loop(body: Step[], lazy: boolean): Step[] {
    const loop = this.#loops++
    const round: Step[] = body.every(({ type }) => type === 'take')
      ? body
      : [{ type: 'round', loop }, ...body, { type: 'taken', loop }]
    const back = round.length + 2
    return [...optional([...round, { type: 'jump', by: -back }], lazy)]
  }

  #atom(): Step[] {
    const char = this.#source[this.#at] ?? ''
    if (char === '(') return this.#group()
    if (char === '[') return [this.#set(this.#classSource())]
    if (char === '\\') return [this.#escape()]
    if ('*+?'.includes(char)) this.#unknown()
    this.#at++
    if (char === '^' || char === '$') return [{ type: 'edge', isStart: char === '^' }]
    return [this.#set(char.replace(/[/{}\]]/, '\\$&'))]
  }

  #classSource(): string {
    const start = this.#at
    for (this.#at++; this.#source[this.#at] !== ']'; this.#at++)
      if (this.#source[this.#at] === '\\') this.#at++
    this.#at++
    return this.#source.slice(start, this.#at)
  }

  /** Any test of one character, left to the engine. */
  #set(source: string): Step {
    const pattern = new RegExp(`^${source}$`, this.#flags)
    const isUnicode = this.#flags.includes('u')
    const known = new Map<number, boolean>()
    const width: Width = (text, at) => {
      if (at >= text.length) return 0
      const code = isUnicode ? (text.codePointAt(at) ?? 0) : text.charCodeAt(at)
      let isIn = known.get(code)
      if (isIn === undefined) known.set(code, (isIn = pattern.test(String.fromCodePoint(code))))
      return isIn ? (code > 0xffff ? 2 : 1) : 0
    }
    return { type: 'take', width }
  }

  #escape(): Step {
    const source = escaped.exec(this.#rest)?.[0] ?? this.#unknown()
    if (source === '\\k') this.#unknown()
    this.#at += source.length
    if (/^\\b$/i.test(source)) return { type: 'boundary', isWanted: source === '\\b' }
    const group = /^\\([1-9])$/.exec(source)?.[1]
    return group === undefined ? this.#set(source) : { type: 'again', group: Number(group) }
  }

  #group(): Step[] {
    const opener = /^\((?:\?(?::|=|!|<=|<!|<\w+>))?/.exec(this.#rest)?.[0] ?? this.#unknown()
    this.#at += opener.length
    const isCapture = opener === '(' || opener.endsWith('>')
    const number = isCapture ? ++this.#groups : 0
    const body = this.#alternatives()
    if (this.#source[this.#at++] !== ')') this.#unknown()
    if (isCapture)
      return [{ type: 'save', slot: number * 2 }, ...body, { type: 'save', slot: number * 2 + 1 }]
    if (opener === '(?:') return body
    const isWanted = opener.endsWith('=')
    // No shorter than what it matches: a step takes one character, or two.
    const back = opener.includes('<') ? 2 * body.length : 0
    return [{ type: 'look', program: body, isWanted, back }]
  }
}

function optional(body: readonly Step[], lazy: boolean): Step[] {
  const [first, second] = lazy ? [body.length, 0] : [0, body.length]
  return [{ type: 'split', first, second }, ...body]
}
