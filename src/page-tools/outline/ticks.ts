import { parentOf } from '../dom.ts'
import { inParent, type TextChange } from './text-change.ts'
import { isTick } from './tick.ts'

/** `handling`: an action is carried out; `settling`: its effects are waited for. */
export type Phase = 'idle' | 'handling' | 'settling'

interface Shown {
  readonly text: string
  /** Since when. */
  readonly at: number
  readonly isTick: boolean
  /** It has ticked while no action ran. */
  readonly runs: boolean
}

/** Which changes of a text are ticks of a clock or a countdown, judged by what it shows and by the time it has shown it. */
export class Ticks {
  phase: Phase = 'idle'
  #shown = new WeakMap<Node, Shown>()
  #insertedAt = new WeakMap<Node, number>()
  #startedAt = 0

  start(): void {
    this.#startedAt = performance.now()
    this.#shown = new WeakMap()
    this.#insertedAt = new WeakMap()
  }

  noteInserted(nodes: NodeList): void {
    for (const node of nodes) this.#insertedAt.set(node, performance.now())
  }

  /** May be asked several times about one change. */
  judge(element: Node, { before, after }: TextChange): boolean {
    const now = performance.now()
    const was = this.#shown.get(element)
    if (was?.text === after) return was.isTick
    const { text, at, runs } = was ?? {
      text: before,
      at: this.#insertion(element),
      runs: false,
    }
    // What is changed by the action itself, such as a duration by its "+", may look like a tick, too.
    const isPossible = runs || this.phase !== 'handling'
    const ticks = isPossible && isOneOf(element, { before: text, after }, (now - at) / 1000)
    const isRunning = ticks && (runs || this.phase === 'idle')
    const since = text === after ? at : now
    this.#shown.set(element, { text: after, at: since, isTick: ticks, runs: isRunning })
    return ticks
  }

  #insertion(element: Node): number {
    let latest = this.#startedAt
    for (let at: Node | null = element; at; at = parentOf(at))
      latest = Math.max(latest, this.#insertedAt.get(at) ?? 0)
    return latest
  }
}

/** A number by itself is one of a countdown when its unit is beside it. */
const NUMBER = /^\s*\d{1,3}\s*$/

function isOneOf(element: Node, change: TextChange, elapsed: number): boolean {
  const isNumber = NUMBER.test(change.before) && NUMBER.test(change.after)
  const { before, after } = (isNumber ? inParent(element, change) : null) ?? change
  return isTick(before, after, elapsed)
}
