import { monotonicMs } from './clock.ts'
import type { Connection } from './connection.ts'
import { lost, toOffstageError } from './failures.ts'
import type { Suspects } from './suspects.ts'
import type { LinkedAgent } from './worker-link.ts'

const MAX_RESTARTS = 3
const RESTART_WINDOW_MS = 60_000

export interface RestartsHost {
  agents(): readonly LinkedAgent[]
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
      if (this.#times.length > MAX_RESTARTS) throw lost()
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
    const openRuns = agents.reduce((count, agent) => count + agent.openRuns(), 0)
    const isSuspicious = this.#times.length > 1 && openRuns > 1
    for (const agent of agents) agent.resendAborts()
    for (const agent of agents) {
      const { agentId } = agent
      const tryOut = async (runId: string): Promise<boolean> => {
        await suspects.tryOut(agentId, runId, trialMs)
        return isLive(connection)
      }
      const taken = agent.takeUp(isSuspicious ? tryOut : undefined)
      if (isSuspicious) await taken
      if (!isLive(connection)) return
    }
  }
}
