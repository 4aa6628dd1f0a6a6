import type {
  CancelTools,
  ExecuteTool,
  ExecutionRefs,
  ToolOutcome,
} from '../../protocol/page-calls.ts'
import { monotonicMs } from '../../lib/monotonic-ms.ts'
import {
  Execution,
  type ExecutionHooks,
  type ExecutionOwner,
  isRepeatable,
  runTool,
  type ToolRunner,
  ToolStop,
} from './execution.ts'
import { reportThrown } from '../api/failures.ts'
import { errorOutput } from './format-output.ts'
import { loadPart } from '../api/load-part.ts'
import { pageRegistry, type PageRegistry } from '../page-life/page-registry.ts'
import type { PreparedTool } from '../tools/prepare-tool.ts'
import { isComposite } from '../tools/tool.ts'
import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts'

/**
 * Delays a tool until the page has handled the events before its call. They travel on another port, and a call must not
 * overtake the text before it.
 */
interface BatchGate {
  advance(batch: number): void
  /** Resolves to true once the batch was handled; to false after `ms`, or when the signal aborts. */
  wait(
    batch: number,
    limit: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<boolean>
  /** Restarts the count for a new worker, and releases everything that waits for events of the old one. */
  reset(): void
}

export function createBatchGate(): BatchGate {
  let newest = 0
  const checks = new Set<() => void>()
  return {
    advance(batch) {
      newest = batch
      for (const check of checks) check()
    },
    async wait(batch, { ms, signal }) {
      if (newest >= batch) return true
      if (signal.aborted) return false
      return new Promise<boolean>((resolve) => {
        const pass = (isHandled: boolean): void => {
          checks.delete(check)
          clearTimeout(timer)
          // Iterators of the run's events read the batch before the tool starts.
          void yieldToEventLoop().then(() => resolve(isHandled))
        }
        const giveUp = (): void => pass(false)
        const check = (): void => {
          if (newest >= batch) pass(true)
        }
        const timer = setTimeout(giveUp, Math.min(ms + 1, 2 ** 31 - 1))
        checks.add(check)
        signal.addEventListener('abort', giveUp, { once: true })
      })
    },
    reset() {
      newest = Infinity
      for (const check of checks) check()
      newest = 0
    },
  }
}

/** How old the worker's last proof that it owns the conversation may be when a tool starts. Milliseconds. */
const LEASE_MS = 3000

/** Functions of the call's agent that its execution uses. */
export interface ExecutionHost {
  findTool(call: ExecuteTool): PreparedTool | undefined
  /** Digest of the tool's current definition; undefined if calling the tool isn't allowed. */
  definitionOf(tool: PreparedTool): string | undefined
  /** Asks the worker, which asks the store. */
  confirmLease(call: ExecuteTool): Promise<boolean>
  hooks(call: ExecuteTool): ExecutionHooks
}

export interface ExecutionsHost {
  readonly gate: BatchGate
  /** Notifies listeners at once, so that the text before a call is shown before its tool runs. */
  flush(): void
  hostOf(agentId: string): ExecutionHost | undefined
  /** Whether an agent of the page has aborted the run. */
  isAborted(runId: string): boolean
  /** Converts a time of the worker's monotonic clock to the page's. */
  toPageTime(workerMs: number): number
}

type NotStarted = Extract<ToolOutcome, { readonly status: 'not-started' }>

/**
 * Runs tools for a worker, and answers its questions about them. Executions belong to the page for its lifetime
 * (`PageRegistry`): a restarted worker, or another agent, finds them by `executionId`.
 */
export class Executions {
  readonly #host: ExecutionsHost
  readonly #registry: PageRegistry = pageRegistry()

  constructor(host: ExecutionsHost) {
    this.#host = host
  }

  executeTool(call: ExecuteTool): Promise<ToolOutcome> {
    const { executionId, agentId } = call
    const { executions } = this.#registry
    const owner: ExecutionOwner = {
      agentId,
      hooks: (current) => this.#host.hostOf(agentId)?.hooks(current),
    }
    const existing = executions.get(executionId)
    if (existing === null) return Promise.resolve(ACKNOWLEDGED)
    if (existing) return existing.waitForOutcome(owner)
    const execution = new Execution(call, owner)
    executions.set(executionId, execution)
    // Deferred by a microtask, so that the execution is registered before it begins.
    void Promise.resolve()
      .then(() => this.#start(execution))
      .catch((thrown) => {
        reportThrown(thrown)
        execution.breakOff()
      })
    return execution.waitForOutcome(owner)
  }

  async knownExecutions({ executionIds }: ExecutionRefs): Promise<readonly string[]> {
    this.#refuseUnknown(executionIds)
    return executionIds.filter((id) => this.#registry.executions.has(id))
  }

  async cancelTools({ executionIds, reason }: CancelTools): Promise<void> {
    this.#refuseUnknown(executionIds)
    this.#stopExecutions(({ call }) => executionIds.includes(call.executionId), cancelStop(reason))
  }

  async acknowledgeTools({ executionIds }: ExecutionRefs): Promise<void> {
    for (const id of executionIds) this.#registry.executions.set(id, null)
  }

  stopRun(runId: string, reason: string): void {
    this.#stopExecutions(({ call }) => call.runId === runId, cancelStop(reason))
  }

  /** Stops the executions of an unregistered tool. */
  stopTool(tool: PreparedTool): void {
    const stop = new ToolStop('removed', 'The tool was removed.')
    this.#stopExecutions(({ prepared }) => prepared === tool, stop)
  }

  /** Aborts executions of a disposed agent after a grace period, unless another agent resumes them. */
  releaseAgent(agentId: string): void {
    for (const execution of this.#registry.executions.values())
      if (execution?.owner.agentId === agentId) execution.abortIfUnawaited()
  }

  #stopExecutions(matches: (execution: Execution) => boolean, stop: ToolStop): void {
    for (const execution of this.#registry.executions.values())
      if (execution && matches(execution)) execution.stop(stop)
  }

  #refuseUnknown(ids: readonly string[]): void {
    const { executions, refused } = this.#registry
    for (const id of ids) if (!executions.has(id)) refused.add(id)
  }

  async #start(execution: Execution): Promise<void> {
    const { call, signal } = execution
    const deadline = this.#host.toPageTime(call.leasedAt) + call.timeoutMs
    const ms = deadline - monotonicMs()
    const runner = await this.#runnerOf(execution)
    const isHandled = await this.#host.gate.wait(call.afterBatch, { ms, signal })
    const lease = await this.#confirmLease(execution)
    // Nothing is awaited from here to the tool's own code, so that the checks stay true.
    const { agentId } = execution.owner
    const host = this.#host.hostOf(agentId)
    const prepared = host?.findTool(call)
    if (signal.aborted || this.#host.isAborted(call.runId)) return refuse(execution, 'cancelled')
    const reason = this.#refusal(call) ?? lease
    if (reason) return refuse(execution, reason)
    if (!host || !prepared) return refuse(execution, 'not-registered')
    // Timers may fire early: if the batch wasn't seen in time, the tool doesn't start, whatever the clock says.
    if (!isHandled || monotonicMs() > deadline) return refuse(execution, 'deadline')
    if (host.definitionOf(prepared) !== call.definition) return refuse(execution, 'changed')
    this.#host.flush()
    await execution.run(prepared, runner)
  }

  /**
   * Loads the runner for the tool. If the tool is replaced meanwhile, its definition differs and the call is refused.
   */
  async #runnerOf({ call, owner }: Execution): Promise<ToolRunner> {
    const prepared = this.#host.hostOf(owner.agentId)?.findTool(call)
    const runner =
      prepared && isComposite(prepared.tool)
        ? (await loadPart(() => import('../composite/run-composite.ts'))).runComposite
        : runTool
    if (call.inputWithSecrets === undefined) return runner
    return (await loadPart(() => import('./hidden-secrets.ts'))).withHiddenSecrets(runner)
  }

  /**
   * Undefined if the call may start. After a freeze of this tab, another one may own the run. For a tool that must not
   * run twice, the worker's knowledge at the time of sending is too old.
   */
  async #confirmLease({
    call,
    owner,
    signal,
  }: Execution): Promise<NotStarted['reason'] | undefined> {
    const host = this.#host.hostOf(owner.agentId)
    const prepared = host?.findTool(call)
    if (!host || !prepared || isRepeatable(prepared)) return undefined
    for (let confirmedAt = this.#host.toPageTime(call.leasedAt); ;) {
      if (monotonicMs() - confirmedAt < LEASE_MS || signal.aborted) return undefined
      confirmedAt = monotonicMs()
      const isOwner = await host.confirmLease(call).catch(() => null)
      if (isOwner === null) return 'unconfirmed'
      if (!isOwner) return 'stale-epoch'
    }
  }

  #refusal(call: ExecuteTool): NotStarted['reason'] | undefined {
    const { epochs, refused } = this.#registry
    const conversation = `${call.storeId} ${call.conversationId}`
    const epoch = Math.max(call.epoch, epochs.get(conversation) ?? 0)
    epochs.set(conversation, epoch)
    if (refused.has(call.executionId)) return 'cancelled'
    return call.epoch < epoch ? 'stale-epoch' : undefined
  }
}

const ACKNOWLEDGED: ToolOutcome = {
  status: 'unknown',
  output: errorOutput('interrupted', 'The tool ran on this page, but its outcome was lost.'),
  running: false,
}

function cancelStop(reason: string): ToolStop {
  return new ToolStop('cancelled', `The run was aborted: ${reason}.`)
}

function refuse(execution: Execution, reason: NotStarted['reason']): void {
  execution.refuse({ status: 'not-started', reason })
}
