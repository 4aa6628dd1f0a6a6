import type { AgentScope } from '../protocol/scope.ts'
import type { AgentConfig } from './agent-page.ts'
import type { AgentRuns } from './agent-runs.ts'
import type { Ambient } from './ambient.ts'
import type { Consent } from './consent.ts'
import type { AskWorker } from './line.ts'
import type { AgentOptions } from './options.ts'
import type { ToolRegistry } from './tool-registry.ts'
import type { WorkerLink } from './worker-link.ts'

/** What the parts of an agent that come with its worker need of it. */
export interface AgentParts {
  readonly options: AgentOptions
  readonly config: AgentConfig
  readonly registry: ToolRegistry
  readonly runs: AgentRuns
  readonly ambient: Ambient
  readonly consent: Consent
  /** Lists of conversations that are shown. */
  readonly lists: Set<{ changed(): void }>
  /** Aborted when the agent is disposed. */
  readonly signal: AbortSignal
  scope(): AgentScope
  readonly ask: AskWorker
  /** The agent's connection to its worker, which may not be started yet. */
  link(): WorkerLink
  /** Aborts the signals of the run's tools. */
  stopTools(runId: string, reason: string): void
}
