import { choose, noLines, type Choice } from './choose.ts'
import type { Entry } from './entry.ts'
import { outlineTokens } from './outline-tokens.ts'
import { render } from './render.ts'

const MIN_TOKENS = 40
/** What a mark takes isn't known before there is one: so much of the budget may stay unused. */
const UNUSED_RATIO = 0.02
const ROUNDS = 6
/** The part of the budget for lines when what marks take is not known. */
const FIRST_RATIO = 0.96

export interface FitOptions {
  readonly maxTokens: number
  /** What comes before it in reading order is left out. */
  readonly from: Element | null
  /** Characters of a text in full. */
  readonly longest: number
}

/**
 * The text of as many entries as fit the budget, never more: popups first, then what is in view, then the
 * rest, each in reading order. Where not all in view fits, what can be acted on comes before texts, which are
 * cut to the room that is left. Yields where it may be interrupted.
 */
export function* fit(
  entries: readonly Entry[],
  { maxTokens, from, longest }: FitOptions,
): Generator<undefined, string> {
  const budget = Math.max(MIN_TOKENS, maxTokens)
  const made = noLines()
  let best: Attempt | null = null
  let room = budget * FIRST_RATIO
  for (let round = 1; ; round += 1) {
    const choice = yield* choose(entries, { room, from, made, longest })
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

function isBetter(one: Attempt, other: Attempt): boolean {
  return one.main === other.main ? one.tokens > other.tokens : one.main > other.main
}
