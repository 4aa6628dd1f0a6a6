import { OffstageError } from '../protocol/error.ts'
import { isParked, pendingCalls } from '../conversation/pending.ts'
import type { StreamItem } from '../protocol/stream.ts'
import type { FeedNotice } from './feeds.ts'

/** A run that was taken up alone, so that a worker that dies meanwhile died of it. */
export interface Trial {
  /** Resolves when the run got somewhere, when the worker is lost, or when the time is up. */
  readonly over: Promise<void>
  readonly isLost: boolean
  /** To be called when the run is not waited for any more, whatever became of it. */
  end(): void
}

interface OpenTrial {
  readonly agentId: string
  readonly runId: string
  end(isLost?: boolean): void
}

/** A run that a worker died of. */
export interface CrashedRun {
  readonly agentId: string
  /** Empty: an extraction. */
  readonly runId: string
  readonly extractId?: string
  readonly error: OffstageError
}

/** Finds the run that workers die of, so that the others don't have to share its fate. */
export class Suspects {
  #trial: OpenTrial | undefined
  /** Runs that got nowhere in all their time, and may be what the worker dies of later. */
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

  /** The worker died: the run that it died of, if only one can be it. */
  blame(): CrashedRun | undefined {
    const trial = this.#unclear.size ? undefined : this.#trial
    this.#trial?.end(true)
    this.#unclear.clear()
    return trial && { agentId: trial.agentId, runId: trial.runId, error: crashed() }
  }
}

/** Runs that have got past what they were about to do when the worker died, or wait for somebody. */
function provenBy(notice: FeedNotice): readonly string[] {
  if (notice.type === 'stream') return notice.items.flatMap((item) => provenByItem(item) ?? [])
  const { run } = notice.state
  return run && (isParked(run) || pendingCalls(run).length > 0) ? [run.runId] : []
}

function provenByItem(item: StreamItem): string | null {
  switch (item.type) {
    case 'step-started':
      // The first step of a run, and one that is begun again, prove nothing.
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
