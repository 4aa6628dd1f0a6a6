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
    /** There will be no worker: its open runs fail. */
    giveUp(error: OffstageError): void
  })[]
}

/** Of which run a worker died, and what comes after it. */
export class WorkerDeaths {
  readonly #host: DeathsHost
  /** What the worker is about to do, and may never end. */
  #risk: Risk | undefined
  readonly #restarts: Restarts

  constructor(host: DeathsHost) {
    this.#host = host
    this.#restarts = new Restarts(host)
  }

  /** The worker is about to do what may never end, or is done with it. */
  note(notice: Risk): void {
    this.#risk = notice.risk ? notice : undefined
  }

  onPublished(notice: FeedNotice): void {
    this.#restarts.suspects.onPublished(notice)
  }

  /** The worker died: the run that it died of, if only one can be it. */
  blame(): CrashedRun | undefined {
    const risk = this.#risk
    this.#risk = undefined
    const suspect = this.#restarts.suspects.blame()
    return risk?.risk ? { ...risk, error: hung(risk.risk) } : suspect
  }

  /** Before another worker is started: the longer, the more of them died of late. */
  pause(): Promise<void> {
    return this.#restarts.pause()
  }

  /** Resolves to true once there is another worker, to false when there will be none. */
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
