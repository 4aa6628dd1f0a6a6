import type { AgentConfig } from './agent-config.ts'
import type { AgentEvents } from './agent-events.ts'
import type { PersonCheck } from './person-check.ts'
import type { AgentOptions } from './options.ts'
import type { RunParts } from './run-parts.ts'
import type { ToolRegistry } from './tool-registry.ts'
import type { WorkerLink } from './worker-link.ts'

/** The parts of an agent that code loaded with the worker needs. */
export interface AgentParts extends RunParts {
  readonly options: AgentOptions
  readonly config: AgentConfig
  readonly registry: ToolRegistry
  readonly agentEvents: AgentEvents
  readonly personCheck: PersonCheck
  /** Lists of conversations that the page shows. */
  readonly lists: Set<{ changed(): void }>
  /** Aborted when the agent is disposed. */
  readonly signal: AbortSignal
  /** The agent's connection to its worker, which may not be started yet. */
  link(): WorkerLink
}
