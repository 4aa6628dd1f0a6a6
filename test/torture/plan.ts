import type { Script } from '../../src/protocol/model.ts'
import { seeded, type Random } from './random.ts'

/** Kinds of damage to the pages while their agents work. */
export const KINDS = [
  'calm',
  'close',
  'reload',
  'navigate',
  'worker',
  'renderer',
  'browser',
  'two tabs',
  'remount',
  'double mount',
  'mixed',
] as const

export type Kind = (typeof KINDS)[number]

export type Blow =
  | 'close'
  | 'reload'
  | 'navigate'
  | 'worker'
  | 'renderer'
  | 'browser'
  | 'open tab'
  | 'resume'
  | 'remount'
  | 'double mount'

export interface Step {
  readonly afterMs: number
  /** Not later than the next effect, so that it hits a tool that waits for its answer. */
  readonly onEffect: boolean
  readonly blow: Blow
  /** Counted among the tabs that are open then. */
  readonly tab: number
  /** Counted among the agents. */
  readonly slot: number
}

export interface TrialPlan {
  readonly seed: number
  readonly kind: Kind
  /** A script for each agent. Each agent has its own conversation. */
  readonly scripts: readonly Script[]
  readonly steps: readonly Step[]
  /** Random numbers that decide who answers, and when. */
  readonly answers: Random
}

/** The plan that a seed stands for; `kind` is the seed's own unless it is given. */
export function planTrial(seed: number, given?: Kind): TrialPlan {
  const random = seeded(seed)
  const kind = given ?? KINDS[seed % KINDS.length] ?? 'mixed'
  const scripts = Array.from({ length: 1 + random.below(3) }, (_, slot) => script(random, slot))
  const count = kind === 'calm' ? 0 : 1 + random.below(4)
  const steps = Array.from({ length: count }, () => ({
    afterMs: random.below(random.chance(0.3) ? 150 : 1000),
    onEffect: random.chance(0.6),
    blow: blowOf(kind, random),
    tab: random.below(2),
    slot: random.below(scripts.length),
  }))
  const second: Step = {
    afterMs: random.below(200),
    onEffect: false,
    blow: 'open tab',
    tab: 0,
    slot: 0,
  }
  const isDouble = kind === 'two tabs' || random.chance(0.2)
  return {
    seed,
    kind,
    scripts,
    steps: isDouble && kind !== 'calm' ? [second, ...steps] : steps,
    answers: seeded(seed ^ 0x5eed),
  }
}

function blowOf(kind: Kind, random: Random): Blow {
  switch (kind) {
    case 'calm':
      return 'resume'
    case 'two tabs':
      return random.pick(['resume', 'open tab', 'close', 'reload'])
    case 'mixed':
      return random.pick([
        'close',
        'reload',
        'navigate',
        'worker',
        'renderer',
        'open tab',
        'resume',
        'remount',
        'double mount',
      ])
    default:
      return kind
  }
}

/** A few steps with a few calls each, all of them different. */
function script(random: Random, slot: number): Script {
  const steps = Array.from({ length: 1 + random.below(3) }, (_step, step) => ({
    text: 'I see what I can do.',
    delayMs: random.below(80),
    toolCalls: Array.from({ length: 1 + random.below(3) }, (_call, call) => ({
      toolName: random.pick(['write', 'write', 'put', 'read', 'destroy', 'book']),
      input: {
        n: `${slot}.${step}.${call}`,
        delayMs: random.below(random.chance(0.5) ? 50 : 1200),
      },
    })),
  }))
  return {
    scenes: [{ match: ['Next'], steps: [{ text: 'There it is.' }] }],
    fallback: [...steps, { text: 'All is done.' }],
    paceMs: 5,
  }
}
