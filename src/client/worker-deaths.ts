import type { WorkerNotice } from '../protocol/notices.ts'
import type { OffstageError } from '../protocol/error.ts'
import { toOffstageError } from './failures.ts'
import type { FeedNotice } from './feeds.ts'
import { type RestartedAgent, Restarts, type RestartsHost } from './restarts.ts'
import type { CrashedRun } from './suspects.ts'
import { hung } from './worker-lost.ts'

type Risk = Extract<WorkerNotice, { readonly type: 'risk' }>

export interface DeathsHost extends RestartsHost {
  agents(): readonly (RestartedAgent & {
    /** No worker can be started any more: the agent's open runs fail. */
    giveUp(error: OffstageError): void
  })[]
}

/** Finds the run that caused a worker's death, and starts the next worker. */
export class WorkerDeaths {
  readonly #host: DeathsHost
  /** Work that the worker is about to do, and that may never end. */
  #risk: Risk | undefined
  readonly #restarts: Restarts

  constructor(host: DeathsHost) {
    this.#host = host
    this.#restarts = new Restarts(host)
  }

  /** Records that the worker begins, or has finished, work that may never end. */
  note(notice: Risk): void {
    this.#risk = notice.risk ? notice : undefined
  }

  onPublished(notice: FeedNotice): void {
    this.#restarts.suspects.onPublished(notice)
  }

  /** Returns the run that caused the worker's death, if only one can have. */
  blame(): CrashedRun | undefined {
    const risk = this.#risk
    this.#risk = undefined
    const suspect = this.#restarts.suspects.blame()
    return risk?.risk ? { ...risk, error: hung(risk.risk) } : suspect
  }

  /** Waits before another worker is started: the longer, the more have died lately. */
  pause(): Promise<void> {
    return this.#restarts.pause()
  }

  /** Resolves to true once there is another worker, to false if there will be none. */
  async restart(counts: boolean): Promise<boolean> {
    try {
      await this.#restarts.restart(counts)
      return true
    } catch (thrown) {
      for (const agent of this.#host.agents()) agent.giveUp(toOffstageError(thrown))
      return false
    }
  }
}
