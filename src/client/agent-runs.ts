import type { AbortRun, AgentScope, RunRef, StartRun } from '../protocol/api.ts'
import { type OffstageError, toErrorData } from '../protocol/error.ts'
import type { RunEvent } from '../protocol/event.ts'
import { LEFT_OPEN, type RunOutcome, type RunResult } from '../protocol/run.ts'
import { stopReason } from './failures.ts'
import type { RunEnding, RunHandle, RunObserver } from './run-handle.ts'
import { createRunHandle } from './run-handle.ts'

/** Asked for, and not yet confirmed by the worker. */
export type OpenAbort = Omit<AbortRun, keyof AgentScope | 'runId'>

export interface RunsHost {
  scope(): AgentScope
  /** Has the worker begin the run. */
  sendStart(handle: RunHandle, command: StartRun): Promise<void>
  /** Has the worker end the run whose abort is on record. */
  sendAbort(runId: string): void
  /** Aborts the signals of the run's tools. */
  stopTools(runId: string, reason: string): void
  onEvents(events: readonly RunEvent[]): void
  readonly summarize: RunObserver['summarize']
  /** The number of open runs changed. */
  onOpen(count: number): void
}

/** The open runs of one agent on this page. */
export class AgentRuns {
  readonly #host: RunsHost
  readonly #open = new Map<string, RunHandle>()
  /** Of the runs that were started here, for as long as they are open. */
  readonly commands: Map<string, StartRun> = new Map()
  /** Those of them whose start no worker has confirmed, and none was lost with. */
  readonly starting: Set<string> = new Set()
  readonly aborts: Map<string, OpenAbort> = new Map()
  /** Settled when the worker is done with an abort, by conversation: the next run waits for it. */
  readonly aborting: Map<string, Promise<unknown>> = new Map()
  /** Ended here before the worker could say so; what it says later is dropped. */
  readonly ignored: Set<string> = new Set()
  /** Handles that ended while the worker was about to name a run. */
  readonly #ended = new Map<string, RunHandle>()
  #adoptions = 0
  /** Set once the agent is disposed of: how a run ends that the worker names later. */
  #closed: RunOutcome | undefined

  constructor(host: RunsHost) {
    this.#host = host
  }

  get open(): ReadonlyMap<string, RunHandle> {
    return this.#open
  }

  start(command: Omit<StartRun, keyof AgentScope>, signal?: AbortSignal): RunHandle {
    const handle = this.handleOf(command)
    const reason = (): string => stopReason(signal?.reason)
    if (signal?.aborted) {
      handle.end({ outcome: 'aborted', reason: reason() })
      return handle
    }
    const abort = (): void => handle.run.abort(reason())
    signal?.addEventListener('abort', abort)
    void handle.run.result.then(() => signal?.removeEventListener('abort', abort))
    const full = { ...this.#host.scope(), ...command }
    this.commands.set(command.runId, full)
    this.send(handle, full)
    return handle
  }

  send(handle: RunHandle, command: StartRun): void {
    this.#host.sendStart(handle, command).catch((error: OffstageError) => {
      // What was lost with a worker is taken up with the next.
      if (error.code !== 'worker-lost') fail(handle, error)
    })
  }

  /** A run that never reaches the worker. */
  refuse(ref: RunRef, error: OffstageError): RunHandle {
    const handle = this.handleOf(ref)
    fail(handle, error)
    return handle
  }

  /** The handle of the run that the worker names, which may have ended by the time it is named. */
  async adopt(naming: Promise<RunRef | null>): Promise<RunHandle | null> {
    this.#adoptions++
    try {
      const ref = await naming
      const handle = ref && (this.#ended.get(ref.runId) ?? this.handleOf(ref))
      if (this.#closed) handle?.end(this.#closed)
      return handle
    } finally {
      if (!--this.#adoptions) this.#ended.clear()
    }
  }

  endAll(outcome: RunOutcome): void {
    for (const handle of this.#open.values()) handle.end(outcome)
  }

  /** Ends all, those too that the worker is about to name. */
  close(outcome: RunOutcome): void {
    this.#closed = outcome
    this.endAll(outcome)
  }

  handleOf({ runId, conversationId }: RunRef): RunHandle {
    const known = this.#open.get(runId)
    if (known) return known
    this.ignored.delete(runId)
    const handle = createRunHandle(
      { runId, conversationId },
      {
        onEvents: this.#host.onEvents,
        summarize: this.#host.summarize,
        onAbort: (reason) => {
          this.aborts.set(runId, { conversationId, reason })
          this.#host.sendAbort(runId)
        },
        onEnd: (end) => this.#forget(handle, end),
      },
    )
    this.#open.set(runId, handle)
    this.#host.onOpen(this.#open.size)
    return handle
  }

  #forget(handle: RunHandle, { confirmed, result }: RunEnding): void {
    const { runId } = handle.run
    this.#open.delete(runId)
    this.commands.delete(runId)
    if (this.#adoptions) this.#ended.set(runId, handle)
    if (confirmed) {
      this.aborts.delete(runId)
      if (!isLeftOpen(result)) this.#host.stopTools(runId, 'it ended')
    } else if (handle.abortReason !== undefined || this.aborts.has(runId)) this.ignored.add(runId)
    this.#host.onOpen(this.#open.size)
  }
}

/** Ended on this page only: its tools are for whoever goes on with it. */
function isLeftOpen(result: RunResult): boolean {
  return result.outcome === 'aborted' && Object.values<string>(LEFT_OPEN).includes(result.reason)
}

/** Whatever was thrown ends the run: a handle must not stay open for it. */
export function fail(handle: RunHandle, thrown: unknown): void {
  handle.end({ outcome: 'failed', error: toErrorData(thrown) })
}
