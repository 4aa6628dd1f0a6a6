import { seeded, type Random } from './random.ts'
import type { PlannedCall } from './cells.ts'
import type { Point } from './world.ts'

export type TabAct =
  | 'begin'
  | 'let go'
  | 'answer'
  | 'answer twice'
  | 'steer'
  | 'take over'
  | 'reload'
  | 'close'
  | 'crash'
  | 'kill worker'
  | 'compare'

export interface TabStep {
  readonly act: TabAct
  /** Counted among the tabs that are open then. */
  readonly tab: number
  readonly other: number
  readonly afterMs: number
}

/** An interleaving: a conversation shown in several tabs, and the order of the actions in each. */
export interface TabsCell {
  readonly steps: readonly (readonly PlannedCall[])[]
  readonly asks: string | null
  readonly holds: Point | null
  readonly acts: readonly TabStep[]
}

/** Conversations of the same tabs. What is done to a tab is done to all of them. */
export interface TabsBatch {
  readonly number: number
  readonly tabs: 2 | 3
  readonly cells: readonly TabsCell[]
}

const SIZE = 12
const HOLDS = ['asked', 'text', 'input', 'effect', 'delivered', 'answer', null] as const
const TOOLS = ['write', 'put', 'read', 'book', 'arrange'] as const

/** `trials` interleavings, of which a quarter has three tabs. */
export function planTabs(seed: number, trials: number): TabsBatch[] {
  return Array.from({ length: Math.ceil(trials / SIZE) }, (_, number) => {
    const random = seeded(seed * 7919 + number)
    const tabs = number % 4 === 3 ? 3 : 2
    const shared = random.pick(['reload', 'close', 'crash', 'kill worker', 'compare'] as const)
    return {
      number,
      tabs,
      cells: Array.from({ length: SIZE }, () => planCell(random, tabs, shared)),
    }
  })
}

function planCell(random: Random, tabs: number, last: TabAct): TabsCell {
  const toolName = random.pick(TOOLS)
  const step = (act: TabAct): TabStep => ({
    act,
    tab: random.below(tabs),
    other: random.below(tabs),
    afterMs: random.below(80),
  })
  const own = Array.from({ length: 2 + random.below(3) }, () =>
    step(random.pick(['answer', 'answer twice', 'steer', 'take over', 'compare'])),
  )
  return {
    steps: [
      [{ toolName, n: '0.0' }],
      ...(random.chance(0.5) ? [[{ toolName: 'put', n: '1.0' }]] : []),
    ],
    asks: random.chance(0.5) ? toolName : null,
    holds: random.pick(HOLDS),
    acts: [step('begin'), ...own, step(last), step('let go')],
  }
}
