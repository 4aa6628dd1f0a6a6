/**
 * A connection to a model engine that runs outside the agent's worker. It is sent to that worker, so that
 * the engine's output never passes through the page.
 */
export interface EngineLine {
  /** Carries the messages of `engines/port-messages.ts`. The port is transferred. */
  readonly port: MessagePort
  /** Id of this engine instance. A restarted engine has a new id. */
  readonly instance: string
  /**
   * How to detect that the engine died. `'lock'`: the engine holds the Web Lock named `instance` while it lives.
   * `'ping'`: the engine answers pings. `'none'`: the engine ends with the page.
   */
  readonly watch: 'lock' | 'ping' | 'none'
}

/** Argument of `Engine.open`. */
export interface EngineOpening {
  /** The agent that opens the line. Its earlier line is closed. */
  readonly agentId: string
  /** Id of the instance that died. `open` must return a line to another instance. */
  readonly lost?: string
}

/** An engine that the page provides to its agents: `createAgent({ engines })`. Creating an engine doesn't start it. */
export interface Engine {
  /** Provider id that selects this engine in a model configuration. */
  readonly id: string
  /** Set this if the engine doesn't support tools: its models then always use ACTION mode. */
  readonly toolMode?: 'action'
  /** Starts the engine if it isn't running, and resolves to a new line. Rejects with an `OffstageError`. */
  open(opening: EngineOpening): Promise<EngineLine>
  /** Releases the engine for this agent. The engine ends after its last agent has released it. */
  release(agentId: string): void
}

/** Progress of an engine that downloads or compiles a model. */
export interface EngineProgress {
  /** Progress so far, in the unit of `total`: bytes, or a fraction of 1. */
  readonly loaded?: number
  readonly total?: number
  /** The engine's own description of its progress. */
  readonly text?: string
}
