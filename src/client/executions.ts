import type { CancelTools, ExecuteTool, PageApi, ToolOutcome } from '../protocol/api.ts'
import type { BatchGate } from './batch-gate.ts'
import type { PreparedTool } from './prepare-tool.ts'
import type { ToolRun } from './run-tool.ts'
import { runTool, ToolStop } from './run-tool.ts'

/** What the agent of a call lends to its execution. */
export interface ExecutionHost {
  /** Brings listeners up to date, so that no tool runs before its text is seen. */
  flush(): void
  findTool(call: ExecuteTool): PreparedTool | undefined
  isAborted(runId: string): boolean
  hooks(call: ExecuteTool): Pick<ToolRun, 'afterToolCall' | 'progress' | 'warn'>
}

/** The part of `PageApi` that is about executions, whichever agent's they are. */
export type ExecutionsApi = Pick<
  PageApi,
  'executeTool' | 'knownExecutions' | 'cancelTools' | 'acknowledgeTools'
>

type NotStarted = Extract<ToolOutcome, { readonly status: 'not-started' }>

interface Execution {
  readonly call: ExecuteTool
  readonly controller: AbortController
  readonly outcome: Promise<ToolOutcome>
  prepared?: PreparedTool
  settled?: boolean
}

/**
 * The tools that run on this page. They belong to the page for its lifetime: a worker that was
 * restarted finds them by `executionId`, and outcomes are kept until they are acknowledged.
 */
export class Executions implements ExecutionsApi {
  readonly #gate: BatchGate
  readonly #hostOf: (agentId: string) => ExecutionHost | undefined
  readonly #executions = new Map<string, Execution>()
  /** Newest epoch seen, by conversation. */
  readonly #epochs = new Map<string, number>()
  /** Executions that were asked about or cancelled before they came; they never start. */
  readonly #refused = new Set<string>()

  constructor(gate: BatchGate, hostOf: (agentId: string) => ExecutionHost | undefined) {
    this.#gate = gate
    this.#hostOf = hostOf
  }

  executeTool(call: ExecuteTool): Promise<ToolOutcome> {
    const known = this.#executions.get(call.executionId)
    if (known) return known.outcome
    const controller = new AbortController()
    // Deferred by a microtask: the execution is on record before it begins.
    const outcome = Promise.resolve().then(() => this.#start(execution))
    const execution: Execution = { call, controller, outcome }
    this.#executions.set(call.executionId, execution)
    return outcome
  }

  async knownExecutions(ids: readonly string[]): Promise<readonly string[]> {
    this.#refuseUnknown(ids)
    return ids.filter((id) => this.#executions.has(id))
  }

  cancelTools({ executionIds, reason }: CancelTools): Promise<void> {
    this.#refuseUnknown(executionIds)
    return this.#stop(
      ({ call }) => executionIds.includes(call.executionId),
      ToolStop.cancelled(reason),
    )
  }

  async acknowledgeTools(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#executions.delete(id)
  }

  stopRun(runId: string, reason: string): void {
    void this.#stop(({ call }) => call.runId === runId, ToolStop.cancelled(reason))
  }

  /** The tool was unregistered. */
  stopTool(tool: PreparedTool): void {
    const stop = new ToolStop('aborted', 'The tool was removed.')
    void this.#stop(({ prepared }) => prepared === tool, stop)
  }

  /** Stops and forgets all of an agent. */
  release(agentId: string): void {
    void this.#stop(({ call }) => call.agentId === agentId, ToolStop.cancelled('disposed'))
    for (const [id, { call }] of this.#executions)
      if (call.agentId === agentId) this.#executions.delete(id)
  }

  /** A new worker counts batches and ownerships anew. */
  reset(): void {
    this.#gate.reset()
    this.#epochs.clear()
  }

  /** Resolves when all that was stopped has ended. */
  async #stop(which: (execution: Execution) => boolean, reason: ToolStop): Promise<void> {
    const stopped = [...this.#executions.values()].filter(
      (execution) => !execution.settled && which(execution),
    )
    for (const { controller } of stopped) controller.abort(reason)
    await Promise.all(stopped.map(({ outcome }) => outcome))
  }

  #refuseUnknown(ids: readonly string[]): void {
    for (const id of ids) if (!this.#executions.has(id)) this.#refused.add(id)
  }

  async #start(execution: Execution): Promise<ToolOutcome> {
    const { call, controller } = execution
    const { runId, deadline, afterBatch } = call
    await this.#gate.wait(afterBatch, { deadline, signal: controller.signal })
    const host = this.#hostOf(call.agentId)
    const prepared = host?.findTool(call)
    const reason = this.#refusal(call, controller.signal.aborted || host?.isAborted(runId))
    if (reason || !host || !prepared)
      return { status: 'not-started', reason: reason ?? 'not-registered' }
    host.flush()
    execution.prepared = prepared
    const outcome = await runTool({ prepared, call, controller, ...host.hooks(call) })
    execution.settled = true
    return outcome
  }

  #refusal(call: ExecuteTool, aborted: boolean | undefined): NotStarted['reason'] | undefined {
    const conversation = `${call.agentId} ${call.conversationId}`
    const epoch = Math.max(call.epoch, this.#epochs.get(conversation) ?? 0)
    this.#epochs.set(conversation, epoch)
    if (aborted || this.#refused.has(call.executionId)) return 'cancelled'
    if (call.epoch < epoch) return 'stale-epoch'
    return Date.now() > call.deadline ? 'deadline' : undefined
  }
}
