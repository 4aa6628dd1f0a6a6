import type { OffstageError } from '../protocol/error.ts'
import { monotonicMs } from './clock.ts'
import type { Connection } from './worker-start.ts'
import { toOffstageError } from './failures.ts'
import type { RunHandle } from './run-handle.ts'
import type { Suspects, Trial } from './suspects.ts'
import { lost as workerLost } from './worker-lost.ts'

const MAX_RESTARTS = 3
const RESTART_WINDOW_MS = 60_000

/** An agent, as it goes from one worker to the next. */
export interface RestartedAgent {
  readonly agentId: string
  /** Open runs that were lost with a worker: all but those that are on their way to the next one. */
  lostRuns(): readonly RunHandle[]
  /** To a new worker: what the one before did not confirm. */
  resendAborts(): void
  /** A new worker took the place of one that died. `tryOut`: one run at a time is taken up. */
  takeUp(runs: readonly RunHandle[], tryOut?: (runId: string) => Trial): Promise<void>
  /** There will be no worker. */
  giveUp(error: OffstageError): void
}

export interface RestartsHost {
  agents(): readonly RestartedAgent[]
  readonly suspects: Suspects
  /** How long a run that is tried out keeps the next one waiting. Milliseconds. */
  readonly trialMs: number
  /** Starts a worker. */
  open(): Promise<Connection>
  isLive(connection: Connection): boolean
}

/** Puts another worker in the place of one that was lost, and goes on with what was open. */
export class Restarts {
  readonly #host: RestartsHost
  /** When there was one that counts, in the last minute. */
  #times: number[] = []

  constructor(host: RestartsHost) {
    this.#host = host
  }

  /** Resolves to true once there is another worker, to false when there will be none. */
  async restart(counts: boolean): Promise<boolean> {
    const now = monotonicMs()
    this.#times = this.#times.filter((at) => now - at < RESTART_WINDOW_MS)
    if (counts) this.#times.push(now)
    try {
      if (this.#times.length > MAX_RESTARTS) throw workerLost()
      void this.#takeUp(await this.#host.open())
      return true
    } catch (thrown) {
      for (const agent of this.#host.agents()) agent.giveUp(toOffstageError(thrown))
      return false
    }
  }

  /** After a second death one run at a time: of which run it dies must come out. */
  async #takeUp(connection: Connection): Promise<void> {
    const { suspects, trialMs, isLive } = this.#host
    const agents = this.#host.agents()
    // All at once: what is started while the first are tried out is no business of this.
    const lost = agents.map((agent) => ({ agent, runs: agent.lostRuns() }))
    const isSuspicious = this.#times.length > 1 && lost.flatMap(({ runs }) => runs).length > 1
    for (const agent of agents) agent.resendAborts()
    for (const { agent, runs } of lost) {
      const { agentId } = agent
      const tryOut = (runId: string): Trial => suspects.tryOut({ agentId, runId }, trialMs)
      const taken = agent.takeUp(runs, isSuspicious ? tryOut : undefined)
      if (isSuspicious) await taken
      if (!isLive(connection)) return
    }
  }
}
