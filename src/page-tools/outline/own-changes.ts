import type { MutationLog } from './mutation-log.ts'
import { numbersOf, shapeOf } from './numbers.ts'
import { nodesOf, type OutlineNode } from './outline-node.ts'

/** Longer texts are no clock. */
const TEXT_LIMIT = 200
const STATE = '\u0002'
/** Texts that an element must have shown by itself before any next text is expected. */
const MANY_TEXTS = 3
/** How far a change may be from its pace, in steps. */
const TOLERANCE = 1.5

interface Seen {
  text: string
  at: number
  /** Words, without numbers, that the element has shown by itself. */
  readonly shapes: Set<string>
  /** For each number, the slowest and the fastest pace per second, and the largest step. */
  paces: readonly Pace[]
}

interface Pace {
  readonly slowest: number
  readonly fastest: number
  readonly step: number
}

/**
 * Remembers the clocks, numbers and words that elements show by themselves while no action runs. Pace tells the effects
 * of an action apart: a clock that is set back didn't just run on.
 */
export class OwnChanges {
  readonly #seen = new Map<Element, Seen>()

  readonly #log: MutationLog

  constructor(log: MutationLog) {
    this.#log = log
  }

  /** Call it before an action, before the changes since the last one are read. */
  begin(nodes: ReadonlyMap<Node, OutlineNode>): void {
    this.#log.noteVolatile()
    for (const element of this.#seen.keys())
      if (!this.#log.isVolatile(element)) this.#seen.delete(element)
    for (const node of this.#volatileOf(nodes))
      if (!this.#seen.has(node.element)) this.#note(node, this.#log.takenAt)
  }

  /** Call it once those changes are read. */
  note(nodes: ReadonlyMap<Node, OutlineNode>): void {
    for (const node of this.#volatileOf(nodes)) this.#note(node, performance.now())
    this.#log.beginAction()
  }

  /** Call it after an action: changes that it made say nothing of the element's own. */
  end(nodes: ReadonlyMap<Node, OutlineNode>): void {
    for (const node of this.#volatileOf(nodes)) this.#restart(node, performance.now())
    this.#log.endAction()
  }

  /** Whether a node may show the same without the action. */
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
      // For numbers that change steadily, the step is the change in a second.
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
