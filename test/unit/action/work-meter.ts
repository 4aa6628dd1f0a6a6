import { Session } from 'node:inspector'
import type { Profiler } from 'node:inspector'
import { countSteps } from './regexp-steps.ts'

const { exec } = RegExp.prototype
const { charCodeAt, slice } = String.prototype

/** Number of characters or entries that a built-in function may read. */
type Cost = (self: string, args: readonly unknown[], result: unknown) => number

interface Primitives {
  readonly owner: object
  readonly costs: Readonly<Record<string, Cost>>
}

const each = (names: readonly string[], cost: Cost): Record<string, Cost> =>
  Object.fromEntries(names.map((name) => [name, cost]))

const whole = (self: { readonly length: number }): number => self.length
const search = (self: string, [, from]: readonly unknown[], result: unknown): number => {
  const start = typeof from === 'number' ? from : 0
  return typeof result === 'number' && result >= 0 ? result - start : self.length - start
}
/** Up to the first character that differs. */
const compared = (self: string, [wanted, from]: readonly unknown[]): number => {
  const start = typeof from === 'number' ? from : 0
  const text = String(wanted)
  let same = 0
  while (same < text.length && self[start + same] === text[same]) same++
  return same
}
const trimmed = (self: string, _args: readonly unknown[], result: unknown): number =>
  self.length - String(result).length
const joined = (_self: string, _args: readonly unknown[], result: unknown): number =>
  (result as { readonly length: number }).length

const primitives: readonly Primitives[] = [
  {
    owner: String.prototype,
    costs: {
      indexOf: search,
      startsWith: compared,
      endsWith: (_self, [wanted]) => String(wanted).length,
      ...each(['trim', 'trimStart', 'trimEnd'], trimmed),
      ...each(['lastIndexOf', 'includes', 'split', 'replace', 'replaceAll', 'match'], whole),
      ...each(['matchAll', 'toLowerCase', 'toUpperCase', 'normalize'], whole),
    },
  },
  {
    owner: Array.prototype,
    costs: {
      ...each(['join', 'slice', 'concat', 'splice', 'flat'], joined),
      ...each(['indexOf', 'includes', 'reverse', 'sort'], whole),
    },
  },
  { owner: JSON, costs: { parse: (_self, [text]) => String(text).length, stringify: joined } },
]

/**
 * Counts the work of code, in steps that don't depend on the machine: the blocks of `sources` that run
 * (the engine's own coverage counts them), the characters that built-in functions may read, and the tests of
 * characters that patterns make.
 */
export class WorkMeter {
  readonly #session = new Session()
  readonly #sources: string
  #steps = 0
  #limit = Infinity

  /** `sources`: a part of the paths of the code that counts. */
  constructor(sources: string) {
    this.#sources = sources
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
    this.#blocks()
  }

  close(): void {
    this.#session.post('Profiler.stopPreciseCoverage')
    this.#session.disconnect()
  }

  /** The steps of `run`, or of the part of it that takes more than `limit`, which is ended there. */
  count(run: () => void, limit: number = Infinity): number {
    this.#steps = 0
    this.#limit = limit
    const restore = this.#patch()
    try {
      run()
    } catch (thrown) {
      if (!(thrown instanceof OverLimit)) throw thrown
    } finally {
      restore()
    }
    return this.#steps + this.#blocks()
  }

  /** The blocks that ran since the last time: none of the code that counts may run in between. */
  #blocks(): number {
    let total = 0
    this.#session.post(
      'Profiler.takePreciseCoverage',
      (error: Error | null, { result }: Profiler.TakePreciseCoverageReturnType) => {
        if (error) throw error
        for (const { url, functions } of result) {
          if (!url.includes(this.#sources)) continue
          for (const { ranges } of functions) for (const { count } of ranges) total += count
        }
      },
    )
    return total
  }

  #patch(): () => void {
    const undo: (() => void)[] = []
    const replace = (owner: object, name: string, value: unknown): void => {
      const before = Object.getOwnPropertyDescriptor(owner, name)
      if (!before) throw new Error(`no ${name}`)
      Object.defineProperty(owner, name, { ...before, value })
      undo.push(() => Object.defineProperty(owner, name, before))
    }
    let isCounting = true
    const uncounted = (cost: () => number): void => {
      if (!isCounting) return
      isCounting = false
      this.#steps += 1 + cost()
      isCounting = true
      if (this.#steps > this.#limit) throw new OverLimit()
    }
    for (const { owner, costs } of primitives) {
      for (const [name, cost] of Object.entries(costs)) {
        const original = Reflect.get(owner, name) as (...args: unknown[]) => unknown
        replace(owner, name, function (this: string, ...args: unknown[]): unknown {
          const result: unknown = Reflect.apply(original, this, args)
          uncounted(() => cost(this, args, result))
          return result
        })
      }
    }
    const flat = new FlatStrings()
    replace(String.prototype, 'slice', function (this: string, from?: number, to?: number): string {
      const result = Reflect.apply(slice, this, [from, to])
      uncounted(() => flat.read(this))
      flat.add(result)
      return result
    })
    replace(String.prototype, 'charCodeAt', function (this: string, at: number): number {
      uncounted(() => flat.read(this))
      return Reflect.apply(charCodeAt, this, [at])
    })
    replace(RegExp.prototype, 'exec', function (this: RegExp, text: string) {
      const from = this.global || this.sticky ? this.lastIndex : 0
      const found = Reflect.apply(exec, this, [text])
      uncounted(() => flat.read(text) + counted(this, { text, from, found }))
      return found
    })
    return () => {
      for (const one of undo) one()
    }
  }
}

/** Too many steps: what runs is ended. */
class OverLimit extends Error {}

/** The steps of a match, which must be the one that the engine found. */
function counted(
  pattern: RegExp,
  {
    text,
    from,
    found,
  }: { readonly text: string; readonly from: number; readonly found: RegExpExecArray | null },
): number {
  const { span, steps, isOver } = countSteps(pattern, text, from)
  if (isOver) return Infinity
  const isSame = found
    ? span?.[0] === found.index && span[1] === found.index + found[0].length
    : span === undefined
  if (!isSame) throw new Error(`the step counter reads ${String(pattern)} otherwise`)
  return steps
}

/**
 * Strings that are put together are copied when they are read for the first time: adding a piece to a long one
 * and reading it costs its length. Slices of a string share its characters.
 */
class FlatStrings {
  /** The latest string of each length. */
  readonly #known = new Map<number, string>()

  add(text: string): void {
    if (text.length > 256) this.#known.set(text.length, text)
  }

  read(text: string): number {
    if (text.length <= 256 || this.#known.get(text.length) === text) return 0
    this.#known.set(text.length, text)
    return text.length
  }
}
