import type { AbortRun, SendMessage, StartRun, WithdrawMessage } from '../protocol/commands.ts'
import type { AgentScope, RunRef } from '../protocol/scope.ts'
import { type OffstageError, toErrorData } from '../protocol/error.ts'
import type { RunOutcome, RunResult } from '../protocol/run.ts'
import { stopReason } from './failures.ts'
import type { UserContent } from '../protocol/fact.ts'
import type { RunInput } from './options.ts'
import type { Run, SendOptions } from './run.ts'
import type { RunHandle } from './run-handle.ts'
import { createRunHandle } from './run-handle.ts'

/** Asked for, and not yet confirmed by the worker. */
export type OpenAbort = Omit<AbortRun, keyof AgentScope | 'runId'>

export interface RunsHost {
  scope(): AgentScope
  /** Has the worker begin the run. */
  sendStart(handle: RunHandle, command: StartRun): Promise<void>
  /** Has a message queued. False: the run had ended. */
  sendMessage(message: Omit<SendMessage, keyof AgentScope>): Promise<boolean>
  withdrawMessage(message: Omit<WithdrawMessage, keyof AgentScope>): Promise<boolean>
  messageOf(input: RunInput, options: SendOptions): UserContent
  /** Whether a message is one of the stored conversation. */
  isStored(conversationId: string, messageId: string): Promise<boolean>
  /** Has the worker end the run whose abort is on record. */
  sendAbort(runId: string): void
  /** See `RunObserver`. */
  endedChildren(ref: RunRef): Promise<readonly Run[]>
  /** What the run has come to; undefined as long as no worker was asked for anything. */
  resultOf(ref: RunRef, outcome: RunOutcome): RunResult | undefined
  /** The run ended here, without a word of the worker. */
  onLeft(ref: RunRef, outcome: RunOutcome): void
  /** There is a handle that was not there before. */
  onHandle(run: Run): void
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
  /** Those of them that a worker was asked for: whether one is stored, only a worker knows. */
  readonly asked: Set<string> = new Set()
  /** What was to begin runs that never reached the worker, until it is shown. */
  readonly refused: Map<string, UserContent> = new Map()
  readonly aborts: Map<string, OpenAbort> = new Map()
  /** Settled when a worker is done with an abort: the next run of the conversation waits for it. */
  readonly aborting: Map<string, Promise<boolean>> = new Map()

  constructor(host: RunsHost) {
    this.#host = host
  }

  /** A handle of this agent was aborted, or an abort is under way. */
  isAborted(runId: string): boolean {
    return this.aborts.has(runId) || this.#open.get(runId)?.abortReason !== undefined
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
    void handle.run.result.then(() => {
      signal?.removeEventListener('abort', abort)
      this.commands.delete(command.runId)
      this.asked.delete(command.runId)
    })
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

  /** A run that never reaches the worker. `message`: what it was to begin with. */
  refuse(ref: RunRef, error: OffstageError, message: UserContent | null): RunHandle {
    const handle = this.handleOf(ref)
    if (message) this.refused.set(ref.runId, message)
    fail(handle, error)
    return handle
  }

  endAll(outcome: RunOutcome): void {
    for (const handle of this.#open.values()) handle.end(outcome)
  }

  handleOf({ runId, conversationId }: RunRef): RunHandle {
    const known = this.#open.get(runId)
    if (known) return known
    const ref = { runId, conversationId }
    const host = this.#host
    const handle = createRunHandle(ref, {
      resultOf: (outcome) => host.resultOf(ref, outcome),
      onAbort: (reason) => {
        this.aborts.set(runId, { conversationId, reason })
        host.sendAbort(runId)
        this.#open.get(runId)?.children.stop()
      },
      onSend: (input, options, sent) => {
        const { when = 'next-step' } = options
        const message = host.messageOf(input, options)
        const messageId = message.id
        const outcome = sent.add(messageId, { role: 'user', ...message })
        host.sendMessage({ ...ref, message, when }).then(
          (isQueued) => (isQueued ? sent.queued(messageId) : sent.return(messageId)),
          // It may have been stored: the run's events, or its end, decide.
          (error: OffstageError) =>
            error.code === 'worker-lost' || sent.return(messageId, toErrorData(error)),
        )
        const cancel = async (): Promise<boolean> =>
          sent.isOpen(messageId) && host.withdrawMessage({ ...ref, messageId })
        return { messageId, outcome, cancel }
      },
      onNext: (nextRunId) => this.handleOf({ runId: nextRunId, conversationId }),
      endedChildren: () => host.endedChildren(ref),
      isStored: (messageId) => host.isStored(conversationId, messageId),
      onEnd: () => {
        this.#open.delete(runId)
        host.onOpen(this.#open.size)
      },
      onLeft: (outcome) => host.onLeft(ref, outcome),
    })
    this.#open.set(runId, handle)
    host.onOpen(this.#open.size)
    host.onHandle(handle.run)
    return handle
  }
}

/** Whatever was thrown ends the run: a handle must not stay open for it. */
export function fail(handle: RunHandle, thrown: unknown): void {
  handle.end({ outcome: 'failed', error: toErrorData(thrown) })
}
