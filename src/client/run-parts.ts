import type { AgentScope } from '../protocol/scope.ts'
import type { AgentRuns } from './agent-runs.ts'
import type { AskWorker } from './line.ts'

/** An agent, as far as its open runs go from one worker to the next. */
export interface RunParts {
  readonly runs: AgentRuns
  scope(): AgentScope
  readonly ask: AskWorker
  /** Asks one worker only. */
  readonly askOnce: AskWorker
  /** Aborts the signals of the run's tools. */
  stopTools(runId: string, reason: string): void
}
