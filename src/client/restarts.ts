import { monotonicMs } from '../lib/monotonic-ms.ts'
import { sleep } from '../lib/sleep.ts'
import type { RunParts } from './run-parts.ts'
import { Suspects, type Trial } from './suspects.ts'
import { lostRuns, sendAborts, takeUpRuns } from './take-up.ts'
import { lost as workerLost } from './worker-lost.ts'
import type { Connection } from './worker-start.ts'

const MAX_RESTARTS = 3
const RESTART_WINDOW_MS = 60_000
/** Delay before the next worker after the first, second and third death in that window. Heartbeats. */
const PAUSE_BEATS = [0, 0.2, 1]

/** An agent that moves to the next worker. */
export interface RestartedAgent {
  readonly agentId: string
  readonly parts: RunParts
}

export interface RestartsHost {
  agents(): readonly RestartedAgent[]
  /** How long a trial run may delay the next run. Milliseconds. */
  readonly trialMs: number
  readonly heartbeatMs: number
  open(): Promise<Connection>
  isLive(connection: Connection): boolean
}

/** Replaces a lost worker, and resumes its unfinished runs. */
export class Restarts {
  readonly suspects: Suspects = new Suspects()
  readonly #host: RestartsHost
  /** Times of the counted restarts in the last minute. */
  #times: number[] = []

  constructor(host: RestartsHost) {
    this.#host = host
  }

  /** Waits before another worker starts: the cause of the last death may be temporary. */
  async pause(): Promise<void> {
    const now = monotonicMs()
    const beats = PAUSE_BEATS[this.#recent(now).length - 1] ?? 0
    const last = this.#times.at(-1) ?? now
    const left = last + beats * this.#host.heartbeatMs - now
    if (left > 0) await sleep(left)
  }

  /** Resolves once there is another worker. Rejects if there won't be one. */
  async restart(counts: boolean): Promise<void> {
    const now = monotonicMs()
    this.#recent(now)
    if (counts) this.#times.push(now)
    if (this.#times.length > MAX_RESTARTS) throw workerLost()
    void this.#takeUp(await this.#host.open())
  }

  #recent(now: number): readonly number[] {
    return (this.#times = this.#times.filter((at) => now - at < RESTART_WINDOW_MS))
  }

  /** Resumes the lost runs. After a second death, one at a time, to find the run that crashes the worker. */
  async #takeUp(connection: Connection): Promise<void> {
    const { trialMs, isLive } = this.#host
    const agents = this.#host.agents()
    // Collected up front: runs that start during the trials aren't lost runs.
    const lost = agents.map(({ agentId, parts }) => ({ agentId, parts, runs: lostRuns(parts) }))
    const isSuspicious = this.#times.length > 1 && lost.flatMap(({ runs }) => runs).length > 1
    for (const { parts } of agents) sendAborts(parts)
    const aborted = (runId: string): Promise<unknown> =>
      Promise.allSettled(agents.flatMap(({ parts }) => parts.runs.aborting.get(runId) ?? []))
    const taking = { aborted, isLive: () => isLive(connection) }
    for (const { agentId, parts, runs } of lost) {
      const tryOut = (runId: string): Trial => this.suspects.tryOut({ agentId, runId }, trialMs)
      const taken = takeUpRuns(parts, runs, { ...taking, ...(isSuspicious && { tryOut }) })
      if (isSuspicious) await taken
      if (!isLive(connection)) return
    }
  }
}
