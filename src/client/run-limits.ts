import type { LimitName, Limits, RunLimits } from '../protocol/run.ts'

interface GivenLimits {
  readonly maxSteps?: number
  readonly retries?: number
  readonly maxChildren?: number
  readonly limits?: Limits
}

const NAMES: readonly LimitName[] = ['steps', 'tokens', 'costUSD', 'minutes']

/** Returns the limits of a run: its own, else the agent's, else the defaults. */
export function limitsOf(agent: GivenLimits, run: GivenLimits = {}): RunLimits {
  const limits = Object.fromEntries(
    NAMES.flatMap((name) => {
      const limit = run.limits?.[name] ?? agent.limits?.[name]
      return limit === undefined ? [] : [[name, limit]]
    }),
  ) as Limits
  const maxChildren = run.maxChildren ?? agent.maxChildren
  return {
    maxSteps: run.maxSteps ?? agent.maxSteps ?? (limits.steps === undefined ? 10 : -1),
    retries: run.retries ?? agent.retries ?? 3,
    ...(maxChildren !== undefined && { maxChildren }),
    ...limits,
  }
}
