import type { CheckRisk, WorkerNotice } from '../protocol/api.ts'
import { OffstageError } from '../protocol/error.ts'
import type { EventBatch, RunEventBody } from '../protocol/event.ts'
import { sleep } from './sleep.ts'

type Risk = Extract<WorkerNotice, { readonly type: 'risk' }>

interface Trial {
  readonly agentId: string
  readonly runId: string
  over(): void
}

/** A run that a worker died of. */
export interface CrashedRun {
  readonly agentId: string
  /** Empty: an extraction. */
  readonly runId: string
  readonly error: OffstageError
}

/** Finds the run that a worker died of, so that the others don't have to share its fate. */
export class Suspects {
  #risk: Risk | undefined
  /** The runs that were taken up one by one, and have not got past where they were. */
  readonly #trials = new Map<string, Trial>()

  /** The worker is about to do what may never end, or is done with it. */
  note(notice: Risk): void {
    this.#risk = notice.risk ? notice : undefined
  }

  /** Resolves when the run got somewhere, when the worker is lost, or after `limitMs`. */
  tryOut(agentId: string, runId: string, limitMs: number): Promise<void> {
    const over = new Promise<void>((resolve) => {
      this.#trials.set(runId, { agentId, runId, over: resolve })
    })
    // One that takes longer remains a suspect beside the next.
    return Promise.race([over, sleep(limitMs)])
  }

  onBatch({ runId, events }: EventBatch): void {
    if (events.some(isProof)) this.#clear(runId)
  }

  #clear(runId: string): void {
    this.#trials.get(runId)?.over()
    this.#trials.delete(runId)
  }

  /** The worker is lost: ends all trials, and names the run that it died of if there is but one suspect. */
  blame(): CrashedRun | undefined {
    const risk = this.#risk
    this.#risk = undefined
    const trials = [...this.#trials.values()]
    for (const trial of trials) this.#clear(trial.runId)
    const [only, ...others] = trials
    if (risk?.risk) return { ...risk, error: hung(risk.risk) }
    return only && !others.length ? { ...only, error: crashed() } : undefined
  }
}

/** The run has got past what it was about to do when the worker died. */
function isProof({ type }: RunEventBody): boolean {
  return (
    type === 'step-end' ||
    type === 'run-end' ||
    type === 'tool-execution-start' ||
    type === 'tool-approval-request' ||
    type === 'question' ||
    type === 'tool-interrupted'
  )
}

function hung({ toolName, patterns }: CheckRisk): OffstageError {
  return new OffstageError(
    'worker-hung',
    `A check against the schema of ${toolName} never came to an end: one of its patterns takes forever on what the model wrote (${patterns.join(' , ')}).`,
    { details: { toolName, patterns: [...patterns] } },
  )
}

function crashed(): OffstageError {
  return new OffstageError(
    'worker-hung',
    'The worker died or hung again when no other run was taken up but this one.',
  )
}
