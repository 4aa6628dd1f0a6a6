import type { AgentScope } from '../protocol/scope.ts'
import type { AgentRuns } from './agent-runs.ts'
import type { WorkerCaller } from './ask-worker.ts'

/** The parts of an agent that move its open runs from one worker to the next. */
export interface RunParts extends WorkerCaller {
  readonly runs: AgentRuns
  scope(): AgentScope
  /** Aborts the signals of the run's tools. */
  stopTools(runId: string, reason: string): void
}
