import { OffstageError } from '../protocol/error.ts'
import { isParked, pendingCalls } from '../conversation/pending.ts'
import type { StreamItem } from '../protocol/stream.ts'
import type { FeedNotice } from './feeds.ts'

/** A run resumed alone: if the worker dies meanwhile, this run is the cause. */
export interface Trial {
  /** Resolves when the run makes progress, when the worker is lost, or when the time is up. */
  readonly over: Promise<void>
  readonly isLost: boolean
  /** Ends the trial. Call it once nobody waits for the run any more, whatever the result. */
  end(): void
}

interface OpenTrial {
  readonly agentId: string
  readonly runId: string
  end(isLost?: boolean): void
}

/** A run that crashed a worker. */
export interface CrashedRun {
  readonly agentId: string
  /** Empty for an extraction. */
  readonly runId: string
  readonly extractId?: string
  readonly error: OffstageError
}

/** Finds the run that crashes workers, so that the other runs survive. */
export class Suspects {
  #trial: OpenTrial | undefined
  /** Runs without progress during their trial. They may still crash the worker later. */
  readonly #unclear = new Set<string>()

  tryOut(run: { readonly agentId: string; readonly runId: string }, limitMs: number): Trial {
    let resolve: () => void
    const over = new Promise<void>((settle) => (resolve = settle))
    const trial = { over, isLost: false, end: (): void => open.end() }
    const open: OpenTrial = {
      ...run,
      end: (isLost = false) => {
        clearTimeout(timer)
        if (this.#trial === open) this.#trial = undefined
        trial.isLost ||= isLost
        resolve()
      },
    }
    const timer = setTimeout(() => {
      this.#unclear.add(run.runId)
      open.end()
    }, limitMs)
    this.#trial = open
    return trial
  }

  onPublished(notice: FeedNotice): void {
    for (const runId of provenBy(notice)) {
      this.#unclear.delete(runId)
      if (this.#trial?.runId === runId) this.#trial.end()
    }
  }

  /** Returns the run that crashed the worker, if only one is possible. */
  blame(): CrashedRun | undefined {
    const trial = this.#unclear.size ? undefined : this.#trial
    this.#trial?.end(true)
    this.#unclear.clear()
    return trial && { agentId: trial.agentId, runId: trial.runId, error: crashed() }
  }
}

/** Runs that have passed the point where the worker died, or that are waiting. */
function provenBy(notice: FeedNotice): readonly string[] {
  if (notice.type === 'stream') return notice.items.flatMap((item) => provenByItem(item) ?? [])
  const { run } = notice.state
  return run && (isParked(run) || pendingCalls(run).length > 0) ? [run.runId] : []
}

function provenByItem(item: StreamItem): string | null {
  switch (item.type) {
    case 'step-started':
      // A run's first step, or a repeated one, proves nothing.
      return item.step > 1 && !item.resumed ? item.runId : null
    case 'storage-waits':
    case 'run-left':
    case 'run-parked':
    case 'run-ended':
    case 'call-started':
    case 'approval-requested':
    case 'question-asked':
    case 'output-requested':
    case 'call-interrupted':
      return item.runId
    default:
      return null
  }
}

function crashed(): OffstageError {
  return new OffstageError('worker-hung', 'The worker died again with only this run open.')
}
