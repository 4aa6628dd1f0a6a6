import type { Violation } from './judge.ts'
import { KINDS, type TrialPlan } from './plan.ts'

export interface Outcome {
  readonly plan: TrialPlan
  readonly violations: readonly Violation[]
}

/** A table of what was found: a row for each kind of disturbance, a column for each kind of violation. */
export function matrix(outcomes: readonly Outcome[]): string {
  const columns = [
    ...new Set(outcomes.flatMap(({ violations }) => violations.map(({ what }) => what))),
  ]
  const rows = KINDS.map((kind) => {
    const trials = outcomes.filter(({ plan }) => plan.kind === kind)
    const bad = trials.filter(({ violations }) => violations.length)
    const counts = columns.map(
      (what) =>
        trials.filter(({ violations }) => violations.some((one) => one.what === what)).length,
    )
    return [kind, trials.length, trials.length - bad.length, ...counts].map(String)
  })
  const table = [['disturbance', 'trials', 'held', ...columns], ...rows]
  const widths =
    table[0]?.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0))) ?? []
  const lines = table.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
  const details = outcomes.flatMap(({ plan, violations }) =>
    violations.map(({ what, detail }) => `seed ${plan.seed} (${plan.kind}): ${what}: ${detail}`),
  )
  return [...lines, '', ...details].join('\n')
}
