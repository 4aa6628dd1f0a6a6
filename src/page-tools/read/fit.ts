import {
  type Entry,
  follows,
  isActionTarget,
  formatOmittedContent,
  formatOmittedLine,
  type LineLimits,
  type Size,
  sumSizes,
} from './entries.ts'
import { LEAST_WITH_MARK, NAME_LIMIT } from './line.ts'
import { estimateUnrounded } from '../../lib/estimate-tokens.ts'
import { ensureRef } from '../refs.ts'

/**
 * Outline words that are one or two tokens each, although the general estimate counts them as rare. The same words
 * between the same signs in a page's text are as cheap.
 */
const CHEAP_WORDS =
  /(?<=- )(?:textbox|checkbox|searchbox|navigation|region|search|toolbar)(?=[ :])|(?<=\[)(?:required|readonly)(?=\])|(?<= \[)from(?==)/g
const SAVED = 1.5

/** Upper estimate of the tokens of outline lines, not rounded. */
function outlineTokens(text: string): number {
  const tokens = estimateUnrounded(text)
  return tokens - (text.match(CHEAP_WORDS)?.length ?? 0) * SAVED
}

/** Lines of an outline to show, by their entries. */
interface ShownLines {
  readonly lines: ReadonlyMap<Entry, string>
  /** Whether a short gap between lines gets only a `…`, because marks don't fit. */
  readonly isTight: boolean
  /** Entries before this element get no marks. */
  readonly from: Element | null
}

/** Maximum lines that a bare `…` may stand for. More lines get a mark that counts them. */
const FEW_LINES = 3

/** The text of an outline, with a mark for everything that is left out. */
function render(entries: readonly Entry[], shown: ShownLines, depth = 0): string {
  const indent = '  '.repeat(depth)
  const isNextToShown =
    shown.isTight && depth > 0 && entries.some((entry) => shown.lines.has(entry))
  let text = ''
  let skipped: Entry[] = []
  const flush = (isBetween: boolean): void => {
    const first = skipped[0]
    if (first) text += `${indent}- ${formatOmission(skipped, first, isBetween || isNextToShown)}\n`
    skipped = []
  }
  for (const entry of entries) {
    // Elements that were not walked are counted in the mark before them: one mark for both.
    const isSameGap = skipped.length > 0 && entry.isOmission
    const line = isSameGap ? undefined : shown.lines.get(entry)
    if (line === undefined) {
      if (!shown.from || follows(entry, shown.from)) skipped.push(entry)
      continue
    }
    // A bare `…` may stand between two lines, or inside a line. Before the first line it would give no place to read on
    // from.
    flush(shown.isTight && text !== '')
    text += `${indent}- ${renderChildren(entry, line, { shown, depth })}`
  }
  flush(false)
  return text
}

function formatOmission(skipped: readonly Entry[], first: Entry, mayBeBare: boolean): string {
  const size = sumSizes(skipped)
  return mayBeBare && isFew(size) ? '…' : formatOmittedLine(size, first.element)
}

function isFew({ lines, interactive, isWhole }: Size): boolean {
  return isWhole && interactive === 0 && lines <= FEW_LINES
}

function renderChildren(
  entry: Entry,
  line: string,
  { shown, depth }: { readonly shown: ShownLines; readonly depth: number },
): string {
  const children = entry.children()
  if (children.length === 0) return `${line}\n`
  if (!children.some((child) => shown.lines.has(child))) {
    const ref = line.includes('[ref=') ? '' : ` [ref=${ensureRef(entry.element)}]`
    const size = sumSizes(children)
    return `${line}${ref}: ${shown.isTight && isFew(size) ? '…' : formatOmittedContent(size)}\n`
  }
  const colon = /: [^[\]"]*$/.test(line) ? '' : ':'
  return `${line}${colon}\n${render(children, shown, depth + 1)}`
}

const MIN_TOKENS = 40
/** Fraction of the token budget that may stay unused: the size of a mark isn't known before it is made. */
const UNUSED_RATIO = 0.02
const ROUNDS = 6
/** Fraction of the token budget for lines in the first round, when the size of marks isn't known. */
const FIRST_RATIO = 0.96

export interface FitOptions {
  readonly maxTokens: number
  /** Entries before this element in reading order are left out. */
  readonly from: Element | null
  /** Maximum characters of a text that is shown in full. */
  readonly longest: number
}

/**
 * The text of as many entries as fit the budget, never more: popups first, then what is in view, then the rest, each in
 * reading order. If not everything in view fits, controls come before texts, which are cut to fit. Yields where it may
 * be interrupted.
 */
export function* fitEntries(
  entries: readonly Entry[],
  { maxTokens, from, longest }: FitOptions,
): Generator<undefined, string> {
  const budget = Math.max(MIN_TOKENS, maxTokens)
  const madeLines = createLines()
  let best: Attempt | null = null
  let room = budget * FIRST_RATIO
  for (let round = 1; ; round += 1) {
    const choice = yield* choose(entries, { room, from, made: madeLines, longest })
    yield
    const found = attempt(entries, choice)
    const unused = budget - found.tokens
    if (unused >= 0 && (!best || isBetter(found, best))) best = found
    const isFull = unused >= 0 && (unused <= budget * UNUSED_RATIO || choice.isAll)
    if (best && (isFull || round >= ROUNDS)) return best.text
    if (room < 0) return found.text
    room += unused < 0 ? unused - round : unused
  }
}

interface Attempt extends Choice {
  readonly text: string
  readonly tokens: number
}

function attempt(entries: readonly Entry[], choice: Choice): Attempt {
  const text = render(entries, choice)
  return { ...choice, text, tokens: outlineTokens(text) }
}

function isBetter(first: Attempt, second: Attempt): boolean {
  return first.main === second.main ? first.tokens > second.tokens : first.main > second.main
}

/**
 * Limits for the lines of controls and of elements around them, from the longest to the shortest. `undefined`: in full.
 */
const LEVELS: readonly (LineLimits | undefined)[] = [
  undefined,
  { name: 60, text: 80 },
  { name: 30, text: 30 },
  { name: 20, text: 10 },
  { name: 12, text: 0 },
]
const SHORTEST = LEVELS.length - 1
/** Level to use if not all controls fit even at the shortest: fewer controls, longer lines. */
const FALLBACK_LEVEL = 2
const COLON = 1
/** Characters of the first line if the budget allows no more. */
const MIN_LINE_LENGTH = 14

/** Lines made so far with their cost in tokens, by level. */
type MadeLines = readonly Map<Entry, MadeLine>[]

interface MadeLine {
  readonly line: string
  readonly tokens: number
}

function createLines(): MadeLines {
  return LEVELS.map(() => new Map())
}

interface Choice extends ShownLines {
  /** Number of shown controls and headings in view. */
  readonly main: number
  readonly isAll: boolean
}

interface ChooseOptions {
  readonly room: number
  readonly from: Element | null
  readonly made: MadeLines
  /** Maximum characters of a text that is shown in full. */
  readonly longest: number
}

/**
 * Chooses lines for a number of tokens, not counting marks. If not everything in view fits, its controls and headings
 * come first, then its texts. The rest follows in reading order. The first text that doesn't fit is cut.
 */
function* choose(entries: readonly Entry[], options: ChooseOptions): Generator<undefined, Choice> {
  const { from } = options
  if (from) {
    const picked = new Picked(options)
    yield* picked.addInOrder(iterateAfter(entries, from))
    return { lines: picked.lines, isTight: false, from, main: 0, isAll: !picked.isFull }
  }
  const visibleEntries = popupsFirst(collectInView(entries))
  const main = visibleEntries.filter(isMain)
  const complete = new Picked(options)
  const isTight = !(yield* complete.addAll(visibleEntries, 0))
  const picked = isTight ? yield* controlsFirst(visibleEntries, main, options) : complete
  yield* picked.addInOrder(iterateAll(entries))
  return {
    lines: picked.lines,
    isTight,
    from,
    main: main.filter((entry) => picked.lines.has(entry)).length,
    isAll: !picked.isFull,
  }
}

function* controlsFirst(
  shown: readonly Entry[],
  main: readonly Entry[],
  options: ChooseOptions,
): Generator<undefined, Picked> {
  for (const level of LEVELS.keys()) {
    const picked = new Picked(options)
    const selected = level === SHORTEST ? main.filter(isControl) : main
    if (!(yield* picked.addAll(selected, level))) continue
    yield* picked.addInOrder(shown)
    return picked
  }
  const picked = new Picked(options)
  yield* picked.addAll(main, FALLBACK_LEVEL)
  return picked
}

/** Lines for a number of tokens, each after its parent's. */
class Picked {
  readonly lines = new Map<Entry, string>()
  /** Something didn't fit. */
  isFull = false
  #room: number
  readonly #madeLines: MadeLines
  readonly #longest: number

  constructor({ room, made, longest }: ChooseOptions) {
    this.#room = room
    this.#madeLines = made
    this.#longest = longest
  }

  /** Returns false when an entry doesn't fit. */
  *addAll(entries: readonly Entry[], level: number): Generator<undefined, boolean> {
    for (const entry of entries) {
      yield
      if (this.#add(entry, level)) continue
      this.isFull = true
      return false
    }
    return true
  }

  /** Adds as many entries as fit, and the beginning of the next one. */
  *addInOrder(entries: Iterable<Entry>): Generator<undefined> {
    for (const entry of entries) {
      if (this.isFull) return
      yield
      if (this.#add(entry, 0)) continue
      this.isFull = true
      this.#addShortened(entry)
    }
  }

  #add(entry: Entry, level: number): boolean {
    const lines = this.#missing(entry).map((item) => [item, this.#getLine(item, level)] as const)
    const tokens = lines.reduce((sum, [, line]) => sum + line.tokens, 0)
    if (tokens > this.#room) return false
    this.#room -= tokens
    for (const [item, { line }] of lines) this.lines.set(item, line)
    return true
  }

  /** Adds the longest version of the line that fits, if any. */
  #addShortened(entry: Entry): void {
    const missing = this.#missing(entry)
    missing.pop()
    const ancestorLines = missing.map((item) => [item, this.#getLine(item, 0)] as const)
    const room = this.#room - ancestorLines.reduce((sum, [, { tokens }]) => sum + tokens, 0)
    const cut = (limit: number): MadeLine =>
      createLine(entry, entry.line({ name: Math.min(limit, NAME_LIMIT), text: limit }))
    let [low, high] = [LEAST_WITH_MARK, this.#longest]
    let best = cut(low)
    if (best.tokens > room) {
      // Any part of the first line is better than nothing.
      best = cut(MIN_LINE_LENGTH)
      if (this.lines.size > 0 || best.tokens > room) return
      high = low
    }
    while (low + 1 < high) {
      const middle = (low + high) >> 1
      const line = cut(middle)
      if (line.tokens > room) high = middle
      else [low, best] = [middle, line]
    }
    for (const [item, { line }] of ancestorLines) this.lines.set(item, line)
    this.lines.set(entry, best.line)
  }

  #getLine(entry: Entry, level: number): MadeLine {
    const lines = this.#madeLines[level]
    const cached = lines?.get(entry)
    if (cached) return cached
    const line = createLine(entry, entry.line(LEVELS[level]))
    lines?.set(entry, line)
    return line
  }

  /** The entry and its ancestors that aren't shown yet, outermost first. */
  #missing(entry: Entry): Entry[] {
    const path: Entry[] = []
    for (
      let current: Entry | null = entry;
      current && !this.lines.has(current);
      current = current.parent
    )
      path.unshift(current)
    return path
  }
}

function createLine(entry: Entry, line: string): MadeLine {
  let indent = ''
  for (let ancestor = entry.parent; ancestor; ancestor = ancestor.parent) indent += '  '
  const tokens = outlineTokens(`\n${indent}- ${line}`) + (entry.children().length > 0 ? COLON : 0)
  return { line, tokens }
}

function isMain(entry: Entry): boolean {
  return entry.node?.role === 'heading' || isControl(entry)
}

function isControl({ node }: Entry): boolean {
  return node !== null && isActionTarget(node)
}

function popupsFirst(visibleEntries: readonly Entry[]): readonly Entry[] {
  return [
    ...visibleEntries.filter(({ popup }) => popup),
    ...visibleEntries.filter(({ popup }) => !popup),
  ]
}

function collectInView(entries: readonly Entry[], found: Entry[] = []): readonly Entry[] {
  for (const entry of entries) {
    if (entry.inView) found.push(entry)
    if (entry.holdsView) collectInView(entry.children(), found)
  }
  return found
}

function* iterateAll(entries: readonly Entry[]): Generator<Entry> {
  for (const entry of entries) {
    yield entry
    yield* iterateAll(entry.children())
  }
}

function* iterateAfter(entries: readonly Entry[], from: Element): Generator<Entry> {
  for (const entry of entries) {
    if (!follows(entry, from)) continue
    yield entry
    yield* iterateAfter(entry.children(), from)
  }
}
