import { seeded } from '../torture/random.ts'

/** Kinds of runs. The expected end of each kind is known. */
const KINDS = [
  'text',
  'tool',
  'tools side by side',
  'tool throws',
  'tool times out',
  'composite',
  'sub-agent',
  'approved',
  'denied',
  'steered',
  'stream breaks once',
  'server busy once',
  'stream stalls once',
  'refused',
  'aborted while it writes',
  'aborted while a tool runs',
  'aborted while a person is asked',
  'left by its reader',
  'worker dies while it writes',
  'worker dies while a tool runs',
] as const
export type Kind = (typeof KINDS)[number]

export interface SoakRun {
  readonly n: number
  readonly kind: Kind
  /** Several runs share a conversation; old ones are deleted. */
  readonly conversationId: string
  /** The agent is disposed of before, and another one made. */
  readonly isRemounted: boolean
}

const RUNS_OF_A_CONVERSATION = 8
const RUNS_OF_AN_AGENT = 100

interface SoakPlanOptions {
  /** Whether a worker may die after this share of the runs. By default in the first half, so that growth within a worker shows. */
  mayKill?(share: number): boolean
}

/** Runs of all kinds, twice as many of the common ones. */
export function planSoak(
  seed: number,
  count: number,
  { mayKill = (share) => share < 1 / 2 }: SoakPlanOptions = {},
): SoakRun[] {
  const random = seeded(seed)
  const plan: SoakRun[] = []
  let left: Kind[] = []
  for (let n = 0; n < count; n += 1) {
    if (left.length === 0) left = [...KINDS, 'text', 'tool', 'tool', 'approved']
    const [kind = 'text'] = left.splice(random.below(left.length), 1)
    plan.push({
      n,
      kind: kind.startsWith('worker dies') && !mayKill(n / count) ? 'tool' : kind,
      conversationId: `soak-${Math.floor(n / RUNS_OF_A_CONVERSATION)}`,
      isRemounted: n > 0 && n % RUNS_OF_AN_AGENT === 0,
    })
  }
  return plan
}

/** How a run of the kind ends. */
export function endOf(kind: Kind): string {
  if (kind.startsWith('aborted')) return 'aborted'
  return kind === 'refused' ? 'failed' : 'completed'
}
