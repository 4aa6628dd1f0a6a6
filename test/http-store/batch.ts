import { setTimeout as sleep } from 'node:timers/promises'
import { seeded } from '../torture/random.ts'
import type { KeptOutcome } from '../torture/results.ts'
import type { BatchPlan } from './plan.ts'
import type { Stage } from './stage.ts'
import { playTrial } from './trial.ts'

let batches = 0

/** Plays the trials of a batch side by side, while their servers are hit. */
export async function playBatch(plan: BatchPlan, stage: Stage): Promise<KeptOutcome[]> {
  batches += 1
  const calm = strike(plan, stage)
  const outcomes = await Promise.all(
    plan.trials.map((trial, index) =>
      playTrial(trial, { stage, tenant: `trial-${batches}-${plan.number}-${index}`, calm }),
    ),
  )
  // A server answers several trials: the first one stands for all.
  const crashes = stage.takeCrashes().map((detail) => ({ what: 'server ended by itself', detail }))
  return outcomes.map(({ violations, calls, late, takenOver }, index) => ({
    row: `${plan.trials[index]?.clocks.length} devices`,
    column: plan.blows.map(({ blow }) => blow).toSorted()[0] ?? 'network alone',
    kind: `trial ${index} (${calls} calls, ${late} late requests, ${takenOver} taken over)`,
    violations: index === 0 ? [...violations, ...crashes] : violations,
  }))
}

async function strike({ blows, number }: BatchPlan, stage: Stage): Promise<void> {
  const random = seeded(number)
  for (const { blow, afterMs } of blows) {
    await sleep(afterMs)
    await stage.strike(blow, random)
  }
}
