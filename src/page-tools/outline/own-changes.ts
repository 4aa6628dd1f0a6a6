import type { MutationLog } from './mutation-log.ts'
import { numbersOf, shapeOf } from './numbers.ts'
import { nodesOf, type OutlineNode } from './outline-node.ts'

/** Longer texts are no clock. */
const TEXT_LIMIT = 200
const STATE = '\u0002'
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

  readonly #log: MutationLog

  constructor(log: MutationLog) {
    this.#log = log
  }

  /** To be called before an action, before what changed since the last one is read. */
  begin(nodes: ReadonlyMap<Node, OutlineNode>): void {
    this.#log.noteVolatile()
    for (const element of this.#seen.keys())
      if (!this.#log.isVolatile(element)) this.#seen.delete(element)
    for (const node of this.#volatileOf(nodes))
      if (!this.#seen.has(node.element)) this.#note(node, this.#log.takenAt)
  }

  /** The same once that is read. */
  note(nodes: ReadonlyMap<Node, OutlineNode>): void {
    for (const node of this.#volatileOf(nodes)) this.#note(node, performance.now())
    this.#log.beginAction()
  }

  /** After an action: what it has changed says nothing of what changes by itself. */
  end(nodes: ReadonlyMap<Node, OutlineNode>): void {
    for (const node of this.#volatileOf(nodes)) this.#restart(node, performance.now())
    this.#log.endAction()
  }

  /** Whether what a node shows now may be what it would show without the action. */
  has(node: OutlineNode): boolean {
    const { element } = node
    if (this.#log.hasOnlyTicked(element)) return true
    return this.#log.isVolatile(element) && this.#isExpected(node, performance.now())
  }

  #volatileOf(nodes: ReadonlyMap<Node, OutlineNode>): OutlineNode[] {
    return [...this.#log.volatile].flatMap((element) => nodes.get(element) ?? [])
  }

  #note(node: OutlineNode, at: number): void {
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

  #restart(node: OutlineNode, at: number): void {
    const seen = this.#seen.get(node.element)
    if (!seen) return
    seen.text = textOf(node)
    seen.at = at
  }

  #isExpected(node: OutlineNode, now: number): boolean {
    const seen = this.#seen.get(node.element)
    if (!seen) return false
    const text = textOf(node)
    const isSameState = text.split(STATE)[1] === seen.text.split(STATE)[1]
    if (seen.shapes.size >= MANY_TEXTS || this.#log.showsAnyText(node.element)) return isSameState
    const shape = shapeOf(text)
    if (shape !== shapeOf(seen.text)) return isSameState && seen.shapes.has(shape)
    const [before, after] = [numbersOf(seen.text), numbersOf(text)]
    const elapsed = (now - seen.at) / 1000
    return after.every((number, index) =>
      isInPace(number - (before[index] ?? 0), elapsed, seen.paces[index]),
    )
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
