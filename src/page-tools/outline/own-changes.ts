import { nodesOf, type OutlineNode } from './outline-node.ts'

/** Longer texts are no clock. */
const TEXT_LIMIT = 200
const STATE = '\u0002'
const CLOCK = /(?<![\d:])\d{1,3}:\d{2}(?::\d{2})?(?![\d:])/g
const NUMBER = /-?\d+(?:[.,]\d+)*/g
/** With so many texts seen of it, what stands there next is as good as any. */
const MANY_TEXTS = 3
/** How far the steps of what changes may be from its pace, in steps. */
const TOLERANCE = 1.5

interface Seen {
  text: string
  at: number
  /** The words, without numbers, that it has shown by itself. */
  readonly shapes: Set<string>
  /** Of each number, the slowest and the fastest pace, per second, and the largest step. */
  paces: readonly Pace[]
}

interface Pace {
  readonly slowest: number
  readonly fastest: number
  readonly step: number
}

/**
 * What elements that change by themselves have shown while nothing was done: their clocks, numbers and words. What an action
 * brings about in one of them is told from that by its pace: a clock that is set back is no clock that ran on.
 */
export class OwnChanges {
  readonly #seen = new Map<Element, Seen>()

  /** To be called for each element that changes by itself, before and after what changed meanwhile was read. */
  note(node: OutlineNode, at: number): void {
    const text = textOf(node)
    const seen = this.#seen.get(node.element)
    if (!seen) {
      this.#seen.set(node.element, { text, at, shapes: new Set([shapeOf(text)]), paces: [] })
      return
    }
    if (text !== seen.text) learn(seen, text, (at - seen.at) / 1000)
    seen.text = text
    seen.at = at
  }

  /** After an action: what it has changed says nothing of what changes by itself. */
  restart(node: OutlineNode, at: number): void {
    const seen = this.#seen.get(node.element)
    if (!seen) return
    seen.text = textOf(node)
    seen.at = at
  }

  has(element: Element): boolean {
    return this.#seen.has(element)
  }

  /** Whether what it shows now may be what it would show without the action since it was last noted. */
  isExpected(node: OutlineNode, now: number): boolean {
    const seen = this.#seen.get(node.element)
    if (!seen) return false
    const text = textOf(node)
    const isSameState = text.split(STATE)[1] === seen.text.split(STATE)[1]
    if (seen.shapes.size >= MANY_TEXTS) return isSameState
    const shape = shapeOf(text)
    if (shape !== shapeOf(seen.text)) return isSameState && seen.shapes.has(shape)
    const [before, after] = [numbersOf(seen.text), numbersOf(text)]
    const elapsed = (now - seen.at) / 1000
    return after.every((number, index) =>
      isInPace(number - (before[index] ?? 0), elapsed, seen.paces[index]),
    )
  }

  forget(isGone: (element: Element) => boolean): void {
    for (const element of this.#seen.keys()) if (isGone(element)) this.#seen.delete(element)
  }
}

function learn(seen: Seen, text: string, elapsed: number): void {
  const shape = shapeOf(text)
  if (seen.shapes.size < MANY_TEXTS) seen.shapes.add(shape)
  if (shape !== shapeOf(seen.text) || elapsed <= 0) return
  const before = numbersOf(seen.text)
  seen.paces = numbersOf(text).map((number, index) => {
    const change = number - (before[index] ?? 0)
    const pace = change / elapsed
    const was = seen.paces[index] ?? { slowest: pace, fastest: pace, step: 0 }
    return {
      slowest: Math.min(was.slowest, pace),
      fastest: Math.max(was.fastest, pace),
      // Of steady ones, how much they change in a second.
      step: Math.max(was.step, Math.abs(pace)),
    }
  })
}

function isInPace(change: number, elapsed: number, pace: Pace | undefined): boolean {
  if (change === 0) return true
  if (!pace || pace.step === 0) return false
  const slack = pace.step * TOLERANCE
  return change >= pace.slowest * elapsed - slack && change <= pace.fastest * elapsed + slack
}

function textOf(node: OutlineNode): string {
  let text = ''
  for (const { signature } of nodesOf(node)) {
    text += signature
    if (text.length > TEXT_LIMIT) break
  }
  return text.slice(0, TEXT_LIMIT)
}

/** A clock is one number, in seconds. */
function plain(text: string): string {
  return text.replace(CLOCK, (clock) =>
    String(clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)),
  )
}

function shapeOf(text: string): string {
  return plain(text).replace(NUMBER, '#')
}

function numbersOf(text: string): readonly number[] {
  return [...plain(text).matchAll(NUMBER)].map(([number]) => Number(number.replace(/,/g, '')))
}
