/**
 * A line to a model engine that runs outside the agent's worker. It crosses to that worker, so that
 * what the engine says never passes the page.
 */
export interface EngineLine {
  /** Carries the messages of `engines/port-messages.ts`. Transferred. */
  readonly port: MessagePort
  /** Names this life of the engine: another one after it died has another name. */
  readonly instance: string
  /**
   * How its death is noticed. `'lock'`: it holds the Web Lock `instance` as long as it lives;
   * `'ping'`: it answers pings; `'none'`: it lives and dies with the page.
   */
  readonly watch: 'lock' | 'ping' | 'none'
}

export interface EngineOpening {
  /** A later opening by the same agent closes its earlier line. */
  readonly agentId: string
  /** The instance that was found dead. A line to it won't do. */
  readonly lost?: string
}

/** An engine that the page provides to its agents: `createAgent({ engines })`. Making one starts nothing. */
export interface Engine {
  /** The provider id under which models reach it. */
  readonly id: string
  /** Set where the engine knows no tools: its models are always asked in ACTION mode. */
  readonly toolMode?: 'action'
  /** Starts the engine when it isn't running, and resolves to a fresh line. Rejects with an `OffstageError`. */
  open(opening: EngineOpening): Promise<EngineLine>
  /** The agent is done with it. The engine ends with the last of its agents. */
  release(agentId: string): void
}

/** How far an engine has come with a model: a download, a compilation. */
export interface EngineProgress {
  /** Units of `total`: bytes, or a fraction of 1. */
  readonly loaded?: number
  readonly total?: number
  /** The engine's own words. */
  readonly text?: string
}
