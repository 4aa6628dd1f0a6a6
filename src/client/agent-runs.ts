import type { AbortRun, AgentScope, RunRef, StartRun } from '../protocol/api.ts'
import type { OffstageError } from '../protocol/error.ts'
import { describeThrown } from '../protocol/error.ts'
import type { EventBatch, RunEvent } from '../protocol/event.ts'
import { LEFT_OPEN, type RunOutcome, type RunResult } from '../protocol/run.ts'
import type { RunEnding, RunHandle } from './run-handle.ts'
import { createRunHandle } from './run-handle.ts'
import type { AskWorker } from './ask-worker.ts'

/** How long a run waits for the worker to be done with an aborted one before it. Milliseconds. */
const ABORT_MS = 2000

export interface RunsHost {
  scope(): AgentScope
  readonly ask: AskWorker
  /** Aborts the signals of the run's tools. */
  stopTools(runId: string, reason: string): void
  onEvents(events: readonly RunEvent[]): void
  /** The number of open runs changed. */
  onOpen(count: number): void
}

/** The open runs of one agent on this page. */
export class AgentRuns {
  readonly #host: RunsHost
  readonly #open = new Map<string, RunHandle>()
  /** Of the runs that were started here, for as long as they are open. */
  readonly #commands = new Map<string, StartRun>()
  /** Runs whose start no worker has confirmed, and none was lost with. */
  readonly #starting = new Set<string>()
  /** Asked for, and not yet confirmed by the worker. */
  readonly #aborts = new Map<string, Omit<AbortRun, keyof AgentScope | 'runId'>>()
  /** Settled when the worker is done with an abort, by conversation: the next run waits for it. */
  readonly #aborting = new Map<string, Promise<unknown>>()
  /** Ended here before the worker could say so; what it says later is dropped. */
  readonly #ignored = new Set<string>()
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

  /** The open runs that a worker was lost with. */
  lost(): readonly RunHandle[] {
    return [...this.#open.values()].filter(({ run }) => !this.#starting.has(run.runId))
  }

  hasOpenWork(): boolean {
    return this.#open.size + this.#aborts.size > 0
  }

  start(command: Omit<StartRun, keyof AgentScope>, signal?: AbortSignal): RunHandle {
    const handle = this.#handleOf(command)
    const reason = (): string => describeThrown(signal?.reason)
    if (signal?.aborted) {
      handle.end({ outcome: 'aborted', reason: reason() })
      return handle
    }
    const abort = (): void => handle.run.abort(reason())
    signal?.addEventListener('abort', abort)
    void handle.run.result.then(() => signal?.removeEventListener('abort', abort))
    const full = { ...this.#host.scope(), ...command }
    this.#commands.set(command.runId, full)
    this.#sendStart(handle, full)
    return handle
  }

  /** A run that never reaches the worker. */
  refuse(ref: RunRef, error: OffstageError): RunHandle {
    const handle = this.#handleOf(ref)
    fail(handle, error)
    return handle
  }

  /** The handle of the run that the worker names, which may have ended by the time it is named. */
  async adopt(naming: Promise<RunRef | null>): Promise<RunHandle | null> {
    this.#adoptions++
    try {
      const ref = await naming
      const handle = ref && (this.#ended.get(ref.runId) ?? this.#handleOf(ref))
      if (this.#closed) handle?.end(this.#closed)
      return handle
    } finally {
      if (!--this.#adoptions) this.#ended.clear()
    }
  }

  onBatch(batch: EventBatch): void {
    const { runId, events } = batch
    if (!this.#ignored.has(runId)) return this.#handleOf(batch).push(events)
    if (!events.some(({ type }) => type === 'run-end')) return
    this.#ignored.delete(runId)
    this.#aborts.delete(runId)
  }

  /** To a new worker: the aborts that the old one did not confirm. */
  resendAborts(): void {
    for (const runId of this.#aborts.keys()) this.#sendAbort(runId)
  }

  /** To a new worker: a run that the old one never began. False when it wasn't started here. */
  resendStart(handle: RunHandle): boolean {
    const command = this.#commands.get(handle.run.runId)
    if (command) this.#sendStart(handle, command)
    return command !== undefined
  }

  /** What was lost with a worker is taken up with the next. */
  failUnlessLost(handle: RunHandle, error: OffstageError): void {
    if (error.code !== 'worker-lost') fail(handle, error)
  }

  /** A run that the worker died of: it fails here, and the next worker is told to end it. */
  failCrashedRun(runId: string, error: OffstageError): void {
    const handle = this.#open.get(runId)
    if (!handle) return
    const { conversationId } = handle.run
    this.#aborts.set(runId, { conversationId, reason: error.message, error: error.toData() })
    fail(handle, error)
  }

  endAll(outcome: RunOutcome): void {
    for (const handle of this.#open.values()) handle.end(outcome)
  }

  /** Ends all, those too that the worker is about to name. */
  close(outcome: RunOutcome): void {
    this.#closed = outcome
    this.endAll(outcome)
  }

  #handleOf({ runId, conversationId }: RunRef): RunHandle {
    const known = this.#open.get(runId)
    if (known) return known
    this.#ignored.delete(runId)
    const handle = createRunHandle(
      { runId, conversationId },
      {
        onEvents: this.#host.onEvents,
        onAbort: (reason) => {
          this.#aborts.set(runId, { conversationId, reason })
          this.#sendAbort(runId)
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
    this.#commands.delete(runId)
    if (this.#adoptions) this.#ended.set(runId, handle)
    if (confirmed) {
      this.#aborts.delete(runId)
      if (!isLeftOpen(result)) this.#host.stopTools(runId, 'it ended')
    } else if (handle.abortReason !== undefined || this.#aborts.has(runId)) this.#ignored.add(runId)
    this.#host.onOpen(this.#open.size)
  }

  #sendStart(handle: RunHandle, command: StartRun): void {
    const send = async (): Promise<void> => {
      if (handle.abortReason === undefined) await this.#host.ask('startRun', command)
    }
    const before = this.#aborting.get(command.conversationId)
    const sent = before
      ? Promise.race([before, new Promise((resolve) => setTimeout(resolve, ABORT_MS))]).then(send)
      : send()
    this.#starting.add(command.runId)
    void sent
      .catch((error) => this.failUnlessLost(handle, error))
      .finally(() => this.#starting.delete(command.runId))
  }

  #sendAbort(runId: string): void {
    const abort = this.#aborts.get(runId)
    if (!abort) return
    this.#host.stopTools(runId, abort.reason)
    const { conversationId } = abort
    const aborting = this.#host.ask('abortRun', { ...this.#host.scope(), ...abort, runId }).then(
      () => this.#aborts.delete(runId),
      (error: OffstageError) => error.code === 'worker-lost' || this.#aborts.delete(runId),
    )
    this.#aborting.set(conversationId, aborting)
    void aborting.then(() => {
      if (this.#aborting.get(conversationId) === aborting) this.#aborting.delete(conversationId)
    })
  }
}

/** Ended on this page only: its tools are for whoever goes on with it. */
function isLeftOpen(result: RunResult): boolean {
  return result.outcome === 'aborted' && Object.values<string>(LEFT_OPEN).includes(result.reason)
}

function fail(handle: RunHandle, error: OffstageError): void {
  handle.end({ outcome: 'failed', error: error.toData() })
}
