import { monotonicMs } from '../../lib/monotonic-ms.ts'
import { sleep } from '../../lib/sleep.ts'
import { fail, type RunParts } from './agent-runs.ts'
import type { Connection } from '../worker-link/worker-start.ts'
import { OffstageError } from '../../protocol/error.ts'
import { toOffstageError } from '../api/failures.ts'
import type { RunHandle } from './run.ts'
import { isPaused, pendingCalls } from '../../conversation/pending.ts'
import type { CheckRisk, StreamItem, WorkerNotice } from '../../protocol/notices.ts'
import type { FeedNotice } from '../views/feeds.ts'

export function workerLostError(): OffstageError {
  return new OffstageError(
    'worker-lost',
    'The worker died or stopped answering. Call resume() to continue.',
    { retryable: true },
  )
}

function workerHungError({ toolName, patterns }: CheckRisk): OffstageError {
  return new OffstageError(
    'worker-hung',
    `Checking an input of ${toolName} never ended. Rewrite the slow pattern of its schema (${patterns.join(' , ')}).`,
    { details: { toolName, patterns } },
  )
}

interface SuspectedRun {
  readonly agentId: string
  readonly runId: string
}

/** A run resumed alone: if the worker dies meanwhile, this run is the cause. */
interface Trial extends SuspectedRun {
  /** Resolves when the run makes progress, when the worker is lost, or when the time is up. */
  readonly ended: Promise<void>
  /** Ends the trial. Call it in any case once resuming the run is over. */
  end(): void
}

/** A run that crashed a worker. */
interface CrashedRun {
  readonly agentId: string
  /** Empty for an extraction, which has no run. */
  readonly runId: string
  readonly extractId?: string
  readonly error: OffstageError
}

/** Finds the run that crashes workers, so that the other runs survive. */
class Suspects {
  #trial: Trial | undefined
  /** Runs without progress during their trial. They may still crash the worker later. */
  readonly #unclear = new Set<string>()
  /** How often each run was resumed since its last progress. */
  readonly #resumes = new Map<string, number>()

  /** Counts a resume. Returns true if the run has lost more workers without progress than may be chance. */
  isLooping(runId: string): boolean {
    const count = (this.#resumes.get(runId) ?? 0) + 1
    this.#resumes.set(runId, count)
    return count > MAX_RESUMES
  }

  startTrial(run: SuspectedRun, limitMs: number): Trial {
    let resolve: () => void
    const ended = new Promise<void>((settle) => (resolve = settle))
    const trial: Trial = {
      ...run,
      ended,
      end: () => {
        clearTimeout(timer)
        if (this.#trial === trial) this.#trial = undefined
        resolve()
      },
    }
    const timer = setTimeout(() => {
      this.#unclear.add(run.runId)
      trial.end()
    }, limitMs)
    this.#trial = trial
    return trial
  }

  onPublished(notice: FeedNotice): void {
    for (const runId of clearedRuns(notice)) {
      this.#unclear.delete(runId)
      this.#resumes.delete(runId)
      if (this.#trial?.runId === runId) this.#trial.end()
    }
  }

  /** Returns the run that crashed the worker, if only one is possible. */
  blame(): CrashedRun | undefined {
    const trial = this.#unclear.size ? undefined : this.#trial
    this.#trial?.end()
    this.#unclear.clear()
    return trial && { ...trial, error: crashError() }
  }
}

/** Returns runs that can't have caused the worker's death: they have made progress since, or are waiting. */
function clearedRuns(notice: FeedNotice): readonly string[] {
  if (notice.type === 'stream') return notice.items.flatMap((item) => clearedRun(item) ?? [])
  const { run } = notice.state
  return run && (isPaused(run) || pendingCalls(run).length > 0) ? [run.runId] : []
}

function clearedRun(item: StreamItem): string | null {
  switch (item.type) {
    case 'step-started':
      // Only a new step after the first one shows progress: a repeated step may crash the worker again.
      return item.step > 1 && !item.resumed ? item.runId : null
    case 'storage-waits':
    case 'run-left':
    case 'run-paused':
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

function crashError(): OffstageError {
  return new OffstageError('worker-hung', 'The worker died again with only this run open.')
}

/**
 * Sends a run's recorded abort to the current worker, or to the next one if it dies. True if the run ended this way.
 */
export function sendAbort(agent: RunParts, runId: string): Promise<boolean> {
  const { aborting, aborts } = agent.runs
  const abort = aborts.get(runId)
  const pending = aborting.get(runId)
  if (pending || !abort) return pending ?? Promise.resolve(false)
  agent.stopTools(runId, abort.reason)
  const sent = agent.callWorker('abortRun', { ...agent.scope(), ...abort, runId }).finally(() => {
    aborts.delete(runId)
    aborting.delete(runId)
  })
  aborting.set(runId, sent)
  return sent
}

/**
 * Open runs that were lost with a worker. Runs that are still starting are left out: their start commands go to the
 * next worker anyway.
 */
function lostRuns({ runs }: RunParts): RunHandle[] {
  return [...runs.openRuns.values()].filter(({ run }) => !runs.starting.has(run.runId))
}

/** Sends a new worker the aborts that no worker has confirmed yet. */
export function sendAborts(agent: RunParts): void {
  for (const runId of agent.runs.aborts.keys()) sendAbort(agent, runId).catch(() => {})
}

interface ResumeConditions {
  /** Resolves once no agent of the page is aborting the run. */
  whenAborted(runId: string): Promise<unknown>
  isLive(): boolean
  isLooping(runId: string): boolean
  /** False if no run is suspected. */
  readonly startTrial: false | ((run: SuspectedRun) => Trial)
}

/**
 * Resumes runs on a new worker, one after the other, so that queued runs stay behind earlier ones. Stops when that
 * worker is lost, too: the next worker gets the remaining runs.
 */
async function resumeLostRuns(
  agent: RunParts,
  handles: readonly RunHandle[],
  { whenAborted, isLive, isLooping, startTrial }: ResumeConditions,
): Promise<void> {
  const { runs, scope } = agent
  for (const handle of handles) {
    const { runId } = handle.run
    await whenAborted(runId)
    if (!isLive()) return
    if (handle.abortReason !== undefined || !runs.openRuns.has(runId)) continue
    const trial = startTrial && startTrial({ ...scope(), runId })
    try {
      await resumeLostRun(agent, handle, isLooping(runId))
      if (trial) await Promise.race([trial.ended, handle.run.result])
    } catch (thrown) {
      if ((thrown as OffstageError).code === 'worker-lost') return
      fail(handle, thrown)
    } finally {
      if (trial) trial.end()
    }
  }
}

async function resumeLostRun(
  agent: RunParts,
  handle: RunHandle,
  isLooping: boolean,
): Promise<void> {
  const { callWorkerOnce, runs, scope } = agent
  const { runId, conversationId } = handle.run
  const target = { ...scope(), conversationId }
  const stored = await callWorkerOnce('getConversation', target)
  // Pauses aren't progress: a run that waits for storage space before its first commit isn't stored.
  const hasProgress = handle.events.some(
    ({ type }) => type !== 'run-paused' && type !== 'run-continued',
  )
  const hasBegun = hasProgress || stored?.openRunId === runId
  // No worker began the run. Undefined if it wasn't started here.
  const command = hasBegun ? undefined : runs.commands.get(runId)
  if (command) return runs.send(handle, command)
  const ref = await callWorkerOnce('resumeRun', {
    ...target,
    runId,
    interrupted: 'tell-model',
    // The time that the run's tools have to be registered.
    waitForToolsMs: 10_000,
    // Only the worker has crashed, not the page. `Suspects` counts such deaths.
    afterCrash: isLooping && 'loop',
    // Also resumes a child run, whose parent's call waits for it: this agent has driven it before.
    asChild: true,
  })
  if (ref?.runId === runId) return
  fail(handle, new OffstageError('worker-lost', 'The run was lost with the worker.'))
}

/** A run that needs more resumes for the same step, however far apart, is in a crash loop. */
const MAX_RESUMES = 2
const MAX_RESTARTS = 3
const RESTART_WINDOW_MS = 60_000
/**
 * Delay before the next worker after the first, second and third death within `RESTART_WINDOW_MS`. Unit: heartbeats.
 */
const PAUSE_BEATS = [0, 0.2, 1]

/** How long the trial of a suspected run may delay the next run. Unit: heartbeats. */
const TRIAL_BEATS = 20

type Risk = Extract<WorkerNotice, { readonly type: 'risk' }>

/** An agent that moves to the next worker. */
export interface RestartedAgent {
  readonly parts: RunParts
  /** Fails all open runs, because no worker can be started any more. */
  failOpenRuns(error: OffstageError): void
}

interface RestartsHost {
  agents(): readonly RestartedAgent[]
  readonly heartbeatMs: number
  open(): Promise<Connection>
  isLive(connection: Connection): boolean
}

/** Finds the run that caused a worker's death, starts the next worker, and resumes the unfinished runs. */
export class Restarts {
  readonly #host: RestartsHost
  readonly #suspects = new Suspects()
  /** Work of the worker that may never end: checking an input against a slow pattern. */
  #risk: Risk | undefined
  /** Times of the counted restarts in the last minute. */
  #times: number[] = []

  constructor(host: RestartsHost) {
    this.#host = host
  }

  /** Records that the worker begins, or has finished, work that may never end. */
  onRisk(notice: Risk): void {
    this.#risk = notice
  }

  onPublished(notice: FeedNotice): void {
    this.#suspects.onPublished(notice)
  }

  /** Returns the run that caused the worker's death. Undefined if the cause isn't certain. */
  blame(): CrashedRun | undefined {
    const risk = this.#risk
    this.#risk = undefined
    const suspect = this.#suspects.blame()
    return risk?.risk ? { ...risk, error: workerHungError(risk.risk) } : suspect
  }

  /** Waits before another worker starts, because the cause of the last death may be temporary. */
  async pause(): Promise<void> {
    const now = monotonicMs()
    const beats = PAUSE_BEATS[this.#recentTimes(now).length - 1] ?? 0
    const lastAt = this.#times.at(-1) ?? now
    const remainingMs = lastAt + beats * this.#host.heartbeatMs - now
    if (remainingMs > 0) await sleep(remainingMs)
  }

  /** Starts another worker. Resolves to false if that fails, or the worker has died too often. */
  async restart(isCounted: boolean): Promise<boolean> {
    const now = monotonicMs()
    this.#recentTimes(now)
    if (isCounted) this.#times.push(now)
    try {
      if (this.#times.length > MAX_RESTARTS) throw workerLostError()
      void this.#resumeRuns(await this.#host.open(), isCounted)
      return true
    } catch (thrown) {
      for (const agent of this.#host.agents()) agent.failOpenRuns(toOffstageError(thrown))
      return false
    }
  }

  #recentTimes(now: number): readonly number[] {
    return (this.#times = this.#times.filter((time) => now - time < RESTART_WINDOW_MS))
  }

  /** Resumes the lost runs. After a second death, resumes one at a time, to find the run that crashes the worker. */
  async #resumeRuns(connection: Connection, isCounted: boolean): Promise<void> {
    const { heartbeatMs, isLive } = this.#host
    const agents = this.#host.agents()
    // Collected before the trials, because runs that start during them aren't lost runs.
    const lost = agents.map(({ parts }) => [parts, lostRuns(parts)] as const)
    const isSuspicious = this.#times.length > 1 && lost.flatMap(([, runs]) => runs).length > 1
    const conditions: ResumeConditions = {
      whenAborted: (runId) =>
        Promise.allSettled(agents.flatMap(({ parts }) => parts.runs.aborting.get(runId) ?? [])),
      isLive: () => isLive(connection),
      isLooping: (runId) => isCounted && this.#suspects.isLooping(runId),
      startTrial:
        isSuspicious && ((run) => this.#suspects.startTrial(run, TRIAL_BEATS * heartbeatMs)),
    }
    for (const [parts, runs] of lost) {
      const resuming = resumeLostRuns(parts, runs, conditions)
      if (isSuspicious) await resuming
    }
  }
}
