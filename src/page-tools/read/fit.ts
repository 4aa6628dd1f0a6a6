import { contains } from '../dom.ts'
import { refOf } from '../refs.ts'
import { omissionLine, type Entry } from './entry.ts'
import { estimateTokens } from '../../lib/estimate-tokens.ts'
import * as native from '../native.ts'

/** The part of the budget for lines; the rest is for omission marks. */
const FILL_RATIO = 0.97
/** A dash, and the line break before it. */
const LINE_TOKENS = 1
const MIN_TOKENS = 40

export interface FitOptions {
  readonly maxTokens: number
  /** What comes before it in reading order is left out. */
  readonly from: Element | null
}

/**
 * The text of as many entries as fit the budget, never more: popups first, then what is in view, then the
 * rest, each in reading order. Yields where it may be interrupted.
 */
export function* fit(
  entries: readonly Entry[],
  { maxTokens, from }: FitOptions,
): Generator<undefined, string> {
  const budget = Math.max(MIN_TOKENS, maxTokens)
  const order = yield* choose(entries, { budget: budget * FILL_RATIO, from })
  for (;;) {
    yield
    const text = render(entries, new Set(order))
    const tokens = estimateTokens(text)
    if (tokens <= budget || order.length === 0) return text
    order.length = Math.floor(order.length * Math.min(0.99, budget / tokens))
  }
}

/** The entries to show, each after its parent. */
function* choose(
  entries: readonly Entry[],
  { budget, from }: { readonly budget: number; readonly from: Element | null },
): Generator<undefined, Entry[]> {
  const chosen = new Set<Entry>()
  let used = 0
  for (const entry of from ? after(entries, from) : ranked(entries)) {
    for (const next of missing(entry, chosen)) {
      yield
      used += estimateTokens(next.line()) + LINE_TOKENS
      if (used > budget && chosen.size > 0) return [...chosen]
      chosen.add(next)
    }
  }
  return [...chosen]
}

function* ranked(entries: readonly Entry[]): Generator<Entry> {
  const shown = inView(entries)
  yield* shown.filter(({ popup }) => popup)
  yield* shown.filter(({ popup }) => !popup)
  yield* all(entries)
}

function inView(entries: readonly Entry[], found: Entry[] = []): readonly Entry[] {
  for (const entry of entries) {
    if (entry.inView) found.push(entry)
    if (entry.holdsView) inView(entry.children(), found)
  }
  return found
}

function* all(entries: readonly Entry[]): Generator<Entry> {
  for (const entry of entries) {
    yield entry
    yield* all(entry.children())
  }
}

function* after(entries: readonly Entry[], from: Element): Generator<Entry> {
  for (const entry of entries) {
    if (!follows(entry, from)) continue
    yield entry
    yield* after(entry.children(), from)
  }
}

/** The entry and its ancestors, outermost first, without those that are chosen already. */
function missing(entry: Entry, chosen: ReadonlySet<Entry>): Entry[] {
  const path: Entry[] = []
  for (let at: Entry | null = entry; at && !chosen.has(at); at = at.parent) path.unshift(at)
  return path
}

function follows(entry: Entry, from: Element): boolean {
  return (
    contains(entry.element, from) ||
    (native.compareDocumentPosition(entry.element, from) & Node.DOCUMENT_POSITION_PRECEDING) !== 0
  )
}

function render(entries: readonly Entry[], chosen: ReadonlySet<Entry>, depth = 0): string {
  const indent = '  '.repeat(depth)
  let text = ''
  let skipped: Entry[] = []
  const flush = (): void => {
    const first = skipped[0]
    if (first) text += `${indent}- ${omissionLine(countElements(skipped), first.element)}\n`
    skipped = []
  }
  for (const entry of entries) {
    // Elements that were not walked are counted in the omission mark before them: one mark for both.
    const goesOn = skipped.length > 0 && entry.isOmission
    if (!chosen.has(entry) || goesOn) {
      skipped.push(entry)
      continue
    }
    flush()
    text += `${indent}- ${withChildren(entry, chosen, depth)}`
  }
  flush()
  return text
}

function withChildren(entry: Entry, chosen: ReadonlySet<Entry>, depth: number): string {
  const line = entry.line()
  const children = entry.children()
  if (children.length === 0) return `${line}\n`
  if (!children.some((child) => chosen.has(child))) {
    const ref = line.includes('[ref=') ? '' : ` [ref=${refOf(entry.element)}]`
    return `${line}${ref}: … ${countElements(children)} inside\n`
  }
  const colon = /: [^[\]"]*$/.test(line) ? '' : ':'
  return `${line}${colon}\n${render(children, chosen, depth + 1)}`
}

function countElements(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + entry.elementCount(), 0)
}
