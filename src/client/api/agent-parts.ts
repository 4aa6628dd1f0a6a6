import type { AgentConfig } from './agent-config.ts'
import type { AgentEvents } from './agent.ts'
import type { PersonCheck } from '../execution/person-check.ts'
import type { AgentOptions } from './options.ts'
import type { RunParts } from '../runs/agent-runs.ts'
import type { ToolRegistry } from '../tools/tool-registry.ts'
import type { WorkerLink } from '../worker-link/worker-link.ts'
import { getPageSingleton } from '../../lib/page-singleton.ts'

/** Agents of this page that have a worker, by id. All copies of the package share the map. */
export const agents: Map<string, AgentParts> = getPageSingleton('agents', () => new Map())

/** The parts of an agent that lazily loaded code needs. */
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
  /** The agent's connection to its worker, which might not have started yet. */
  link(): WorkerLink
}
