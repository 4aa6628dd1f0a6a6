import type { RunLimits } from '../protocol/run.ts'

/** What a run may set, else what the agent was made with, else the defaults. */
export function limitsOf(agent: Partial<RunLimits>, run: Partial<RunLimits> = {}): RunLimits {
  return {
    maxSteps: run.maxSteps ?? agent.maxSteps ?? 10,
    retries: run.retries ?? agent.retries ?? 3,
  }
}
