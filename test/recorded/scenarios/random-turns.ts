import type { Random } from '../../torture/random.ts'
import type { PlayedCall, Turn, Turns } from '../stage/played-model.ts'
import type { ToolName } from '../stage/toolbox.ts'

export const TOOLS: readonly ToolName[] = [
  'add',
  'read',
  'write',
  'remove',
  'fail',
  'slow',
  'progress',
  'beside',
  'repeatable',
  'checked',
  'careful',
]

const calls: readonly [PlayedCall, ...PlayedCall[]] = [
  { tool: 'add', input: { a: 2, b: 3 } },
  { tool: 'add', input: { a: 'two' } },
  { tool: 'read', input: { note: 'r' } },
  { tool: 'read' },
  { tool: 'write', input: { note: 'w', times: 2 } },
  { tool: 'remove', input: { id: 4 } },
  { tool: 'fail' },
  { tool: 'slow' },
  { tool: 'progress' },
  { tool: 'beside', input: { ms: 45 } },
  { tool: 'beside', input: { ms: 5 } },
  { tool: 'repeatable', input: { note: 'again' } },
  { tool: 'checked' },
  { tool: 'careful', input: { risky: true } },
  { tool: 'ask_user', input: { question: 'Go on?', options: ['yes', 'no'] } },
  { tool: 'reed', input: {} },
]

const texts = ['Let me see.', 'One moment, please.', '', 'Ünïcode 🎈, too.\n'] as const

/** A model's answers for one run, the last of them without calls. */
export function randomTurns(random: Random): Turns {
  const count = random.pick([1, 1, 2])
  return [
    ...Array.from({ length: count }, () => randomAttempts(random, randomTurn(random, true))),
    randomAttempts(random, randomTurn(random, false)),
  ]
}

function randomTurn(random: Random, asks: boolean): Turn {
  const paceMs = random.pick([0, 0, 12, 25])
  return {
    ...(random.chance(0.3) && { reasoning: 'I think it over.' }),
    text: random.pick(texts) || (asks ? '' : 'That is all.'),
    ...(asks && { calls: randomCalls(random) }),
    ...(random.chance(0.6) && {
      usage: { inputTokens: 5 + random.below(20), outputTokens: 1 + random.below(9) },
    }),
    ...(random.chance(0.1) && { warning: 'A word of warning.' }),
    ...(random.chance(0.1) && { metadata: { signature: `s${random.below(100)}` } }),
    ...(paceMs > 0 && { paceMs }),
  }
}

function randomCalls(random: Random): PlayedCall[] {
  const count = random.pick([1, 1, 2])
  return Array.from({ length: count }, () => ({
    ...random.pick(calls),
    ...(random.chance(0.25) && { streams: true }),
    ...(random.chance(0.08) && { id: 'same' }),
  }))
}

/** Now and then an attempt fails before the good one. */
function randomAttempts(random: Random, turn: Turn): Turn | readonly Turn[] {
  if (!random.chance(0.12)) return turn
  const error = { code: 'overloaded', message: 'Overloaded.', retryable: true } as const
  return [{ ...turn, ends: random.pick(['cut', 'cut', error] as const) }, turn]
}
