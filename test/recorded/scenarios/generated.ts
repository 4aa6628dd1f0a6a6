import { seeded, type Random } from '../../torture/random.ts'
import type { Scenario } from '../record.ts'
import { randomCourse } from './random-course.ts'
import { randomTurns, TOOLS } from './random-turns.ts'

const SEEDS = 50

/** Answers of the model, options and what happens, thrown together: each seed gives the same scenario always. */
function generate(seed: number): Scenario {
  const random = seeded(seed)
  const turns = randomTurns(random)
  const isAction = random.chance(0.2)
  const course = randomCourse(random)
  return {
    name: `${seed}: ${course.name}${isAction ? ' (ACTION)' : ''}`,
    turns,
    tools: TOOLS,
    verdict: random.pick(['happened', 'did-not-happen', 'unknown']),
    ...(isAction && { model: { toolMode: 'action' } }),
    options: randomOptions(random),
    play: (on) => course.play(on),
  }
}

function randomOptions(random: Random): NonNullable<Scenario['options']> {
  const maxSteps = random.pick([10, 10, 10, 2])
  const toolApproval = random.pick(['destructive', 'destructive', 'never', 'writes'] as const)
  return {
    controlTools: ['ask_user', 'finish_task'],
    maxSteps,
    toolApproval,
    ...(random.chance(0.1) && { raw: true }),
    ...(random.chance(0.15) && { context: () => ({ at: 'the till' }) }),
  }
}

export const generated: readonly Scenario[] = Array.from({ length: SEEDS }, (_, index) =>
  generate(index + 1),
)
