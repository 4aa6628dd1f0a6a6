import { seeded, type Random } from './random.ts'

/** Where a run, or the call that is looked at, stands when the blow comes. */
export const STATES = [
  'beginning',
  'asked',
  'retrying',
  'writing',
  'calling',
  'hooked',
  'waiting for approval',
  'being approved',
  'starting',
  'executing',
  'returning',
  'delivered',
  'answering',
  'ending',
  'aborting',
  'steered',
  'suspended',
  'being settled',
  'asking a person',
] as const
export type State = (typeof STATES)[number]

export const BLOWS = [
  'reload',
  'navigation',
  'close',
  'renderer crash',
  'browser kill',
  'worker death',
  'freeze',
  'dispose',
] as const
export type CellBlow = (typeof BLOWS)[number]

/** Tools of the call under test. `judge-cell.ts` lists the guarantees for each. */
export const TOOLS = ['write', 'put', 'read', 'destroy', 'book', 'arrange', 'ask_helper'] as const
export type ToolKind = (typeof TOOLS)[number]
/** Used instead of a tool kind by states that allow only one tool. */
type OwnKind = 'order' | 'ask_user'

export interface PlannedCall {
  readonly toolName: string
  readonly n: string
}

/** A trial: a conversation that is brought to a state and then hit by a blow. */
export interface Cell {
  readonly state: State
  readonly blow: CellBlow
  readonly tool: ToolKind | OwnKind
  /** The steps of the model: the call that is looked at is the first of the first step. */
  readonly steps: readonly (readonly PlannedCall[])[]
  /** The call stands among others that its step makes beside it, at this place. */
  readonly at: number
  /** When what holds the run is let go: before the blow (negative), or after it. Milliseconds. */
  readonly letGoMs: number
  /** How long the server takes over what is not held. Milliseconds. */
  readonly paceMs: number
}

/** Trials in one page that the same blow hits at once. */
export interface Batch {
  /** Position in the plan of its seed. */
  readonly number: number
  readonly blow: CellBlow
  readonly cells: readonly Cell[]
  /** A second blow, while the runs are being resumed. */
  readonly second: CellBlow | null
  readonly secondAfterMs: number
  /** How long the page stays frozen. Milliseconds. */
  readonly frozenMs: number
}

/** Trials of one batch: each has a conversation, an agent and a server of its own. */
const BATCH = 20

const ALONE: Partial<Record<State, OwnKind>> = {
  suspended: 'order',
  'being settled': 'order',
  'asking a person': 'ask_user',
}

/** Every state, blow and kind of tool that go together. */
function allCells(): Pick<Cell, 'state' | 'blow' | 'tool'>[] {
  return BLOWS.flatMap((blow) =>
    STATES.flatMap((state) => {
      const own = ALONE[state]
      const tools = own ? [own] : TOOLS
      return tools.map((tool) => ({ state, blow, tool }))
    }),
  )
}

/** The batches in which `trials` trials are made. The same of the same seed: each cell once, in an order of its own, and again. */
export function planBatches(seed: number, trials: number, size = BATCH): Batch[] {
  const batches: Batch[] = []
  let planned = 0
  for (let round = 0; planned < trials; round += 1) {
    const random = seeded(seed * 1000 + round)
    const groups = BLOWS.map((blow) =>
      shuffled(
        allCells().filter((cell) => cell.blow === blow),
        random,
      ),
    )
    for (let from = 0; groups.some((group) => from < group.length); from += size)
      for (const group of groups) {
        const cells = group.slice(from, from + size)
        if (cells.length === 0 || planned >= trials) continue
        planned += cells.length
        batches.push(planBatch(batches.length, cells, seeded(random.below(2 ** 31))))
      }
  }
  return batches
}

function planBatch(
  number: number,
  cells: readonly Pick<Cell, 'state' | 'blow' | 'tool'>[],
  random: Random,
): Batch {
  const [first] = cells
  if (!first) throw new Error('A batch has cells.')
  return {
    number,
    blow: first.blow,
    cells: cells.map((cell) => fill(cell, random)),
    second: random.chance(0.25)
      ? random.pick(['reload', 'close', 'worker death', 'renderer crash', 'dispose'])
      : null,
    secondAfterMs: random.below(200),
    frozenMs: 200 + random.below(1500),
  }
}

function fill(cell: Pick<Cell, 'state' | 'blow' | 'tool'>, random: Random): Cell {
  const beside = random.below(3)
  const at = random.below(beside + 1)
  const others = (step: number, count: number): PlannedCall[] =>
    Array.from({ length: count }, (_, index) => ({
      toolName: random.pick(['write', 'put', 'read', 'book']),
      n: `${step}.${index + 1}`,
    }))
  const firstStep = others(0, beside).toSpliced(at, 0, { toolName: cell.tool, n: TARGET })
  const more = random.chance(0.4) ? [others(1, 1 + random.below(2))] : []
  return {
    ...cell,
    at,
    steps: [firstStep, ...more],
    letGoMs: random.chance(0.5) ? random.below(60) - 30 : random.below(400),
    paceMs: random.below(15),
  }
}

/** The label of the call that is looked at. */
export const TARGET = '0.0'

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, at: random.below(2 ** 30) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
