import type {
  AbortRun,
  BranchPoint,
  SendMessage,
  StartRun,
  WithdrawMessage,
} from '../../protocol/worker-calls.ts'
import type { AgentScope, RunRef } from '../../protocol/conversation.ts'
import { describeThrown, OffstageError, toErrorData } from '../../protocol/error.ts'
import type { LimitName, Limits, RunLimits, RunOutcome, RunResult } from '../../protocol/run.ts'
import { abortReasonText, badInput, toOffstageError } from '../api/failures.ts'
import type { UserContent } from '../../protocol/fact.ts'
import type { AgentOptions, PromptValues, RunInput, RunOptions } from '../api/options.ts'
import { createRunHandle, type Run, type RunHandle, type SendOptions } from './run.ts'
import type { WorkerCaller } from '../worker-link/ask-worker.ts'
import type { AgentConfig } from '../api/agent-config.ts'
import { checkPrices, hasContent, limitProblem } from '../api/check-options.ts'
import { checkNames } from '../api/check-names.ts'
import { fillInput } from '../api/fill-values.ts'
import { randomId } from '../../lib/random-id.ts'

interface LimitOptions {
  readonly maxSteps?: number
  readonly retries?: number
  readonly maxChildren?: number
  readonly limits?: Limits
}

const LIMIT_NAMES: readonly LimitName[] = ['steps', 'tokens', 'costUSD', 'minutes']

/** Returns the limits of a run. For each: the run's own value, the agent's, or the default. */
export function limitsOf(agent: LimitOptions, run: LimitOptions = {}): RunLimits {
  const limits = Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => {
      const limit = run.limits?.[name] ?? agent.limits?.[name]
      return limit === undefined ? [] : [[name, limit]]
    }),
  ) as Limits
  const maxChildren = run.maxChildren ?? agent.maxChildren
  return {
    maxSteps: run.maxSteps ?? agent.maxSteps ?? (limits.steps === undefined ? 10 : -1),
    retries: run.retries ?? agent.retries ?? 3,
    ...(maxChildren !== undefined && { maxChildren }),
    ...limits,
  }
}

/** The parts of an agent that are needed to move its open runs from one worker to the next. */
export interface RunParts extends WorkerCaller {
  readonly runs: AgentRuns
  scope(): AgentScope
  /** Aborts the signals of the run's tools. */
  stopTools(runId: string, reason: string): void
}

/** Input of a new run. `input` is null for a run that regenerates an answer. */
interface RunBeginning {
  readonly input: RunInput | null
  readonly branch?: BranchPoint
  /** The call that this run is a child of. */
  readonly parent?: StartRun['parent']
  /** True if the model request behind that call contained untrusted content. */
  readonly tainted?: boolean | undefined
  /** Default: a new id. */
  readonly runId?: string
}

export type RunStarter = (beginning: RunBeginning, options?: RunOptions) => Run

/** Creates the function that begins runs at once. Errors are the run's outcome. */
export function runStarter(
  { config, runs }: { readonly config: AgentConfig; readonly runs: AgentRuns },
  agent: AgentOptions,
): RunStarter {
  return ({ input, branch, parent, tainted, runId = randomId() }, options) => {
    const {
      conversationId = randomId(),
      signal,
      ifBusy = 'refuse',
      history,
      values,
    } = options ?? {}
    const ref = { runId, conversationId }
    try {
      checkNames(options ?? {}, 'run')
      const limits = limitsOf(agent, options ?? {})
      const problem = limitProblem(limits)
      if (problem) throw badInput(problem)
      checkPrices(limits, { ...agent, model: config.model })
      const filledWith = values === false ? {} : { ...config.values, ...values }
      const message =
        branch?.type === 'regenerate'
          ? null
          : { ...messageOf(input, filledWith), ...(tainted && { untrusted: tainted }) }
      const command = {
        ...ref,
        message,
        branch,
        parent,
        limits,
        ifBusy,
        ...(history && { history: plainHistory(history) }),
      }
      return runs.start(command, signal).run
    } catch (thrown) {
      return runs.refuse(ref, toOffstageError(thrown), refusedMessage(input)).run
    }
  }
}

/** Makes a message for an open run: from a template if there are values, otherwise verbatim. Throws like `Run.send`. */
export function sentMessage(
  { values }: Pick<AgentConfig, 'values'>,
  input: RunInput,
  options: SendOptions,
): UserContent {
  checkNames(options, 'send')
  return messageOf(input, options.values ? { ...values, ...options.values } : {})
}

/** Returns the refused message, to be put back into a text field. */
function refusedMessage(input: RunInput | null): UserContent | null {
  return input === null || !hasContent(input)
    ? null
    : { id: randomId(), parts: fillInput(input, {}) }
}

/** Makes a person's message from a template, or verbatim if there are no values. Throws `invalid-input`. */
function messageOf(input: RunInput | null, values: PromptValues): UserContent {
  if (input === null || !hasContent(input))
    throw badInput('The message is empty. Pass text or parts.')
  return { id: randomId(), parts: fillInput(input, values) }
}

/** Copies a history as JSON, so that it can be posted to the worker. The worker checks it. */
function plainHistory(history: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(history))
  } catch (cause) {
    throw new OffstageError('invalid-history', `history: ${describeThrown(cause)}`)
  }
}

/** An abort that was requested and that the worker hasn't confirmed. */
export type OpenAbort = Omit<AbortRun, keyof AgentScope | 'runId'>

export interface RunsHost {
  scope(): AgentScope
  /** Asks the worker to begin the run. */
  sendStart(handle: RunHandle, command: StartRun): Promise<void>
  /** Queues a message. Resolves to false if the run has ended. */
  sendMessage(message: Omit<SendMessage, keyof AgentScope>): Promise<boolean>
  withdrawMessage(message: Omit<WithdrawMessage, keyof AgentScope>): Promise<boolean>
  messageOf(input: RunInput, options: SendOptions): UserContent
  /** Whether the stored conversation has this message. */
  isStored(conversationId: string, messageId: string): Promise<boolean>
  /** Asks the worker to abort the run, for the reason in `aborts`. */
  sendAbort(runId: string): void
  /** See `RunObserver`. */
  endedChildren(ref: RunRef): Promise<readonly Run[]>
  /** Returns the result that was published so far. Undefined if nothing was sent to a worker yet. */
  resultOf(ref: RunRef, outcome: RunOutcome): RunResult | undefined
  /** Called when this page ended the run without a notice from the worker. */
  onLeft(ref: RunRef, outcome: RunOutcome): void
  /** Called for each new handle. */
  onHandle(run: Run): void
  /** Called when the number of open runs changes. */
  onOpen(count: number): void
}

/** The open runs of one agent on this page. */
export class AgentRuns {
  readonly #host: RunsHost
  readonly #openRuns = new Map<string, RunHandle>()
  /** Start commands of the open runs that this agent started. */
  readonly commands: Map<string, StartRun> = new Map()
  /** Runs started here whose start command is still in progress. A start that was lost with its worker isn't. */
  readonly starting: Set<string> = new Set()
  /** Runs that a worker was asked to start. Only a worker knows whether they are stored. */
  readonly sentRunIds: Set<string> = new Set()
  /** Messages of runs that never reached the worker. Each is removed once the conversation shows it as unsent. */
  readonly unsentMessages: Map<string, UserContent> = new Map()
  readonly aborts: Map<string, OpenAbort> = new Map()
  /**
   * Aborts in progress. Each promise settles when a worker has ended the run. The conversation's next run waits for
   * them.
   */
  readonly aborting: Map<string, Promise<boolean>> = new Map()

  constructor(host: RunsHost) {
    this.#host = host
  }

  /** Whether the run's handle was aborted, or an abort is in progress. */
  isAborted(runId: string): boolean {
    return this.aborts.has(runId) || this.#openRuns.get(runId)?.abortReason !== undefined
  }

  get openRuns(): ReadonlyMap<string, RunHandle> {
    return this.#openRuns
  }

  start(command: Omit<StartRun, keyof AgentScope>, signal?: AbortSignal): RunHandle {
    const handle = this.handleOf(command)
    const reason = (): string => abortReasonText(signal?.reason)
    if (signal?.aborted) {
      if (command.message) this.unsentMessages.set(command.runId, command.message)
      handle.end({ outcome: 'aborted', reason: reason() })
      return handle
    }
    const abort = (): void => handle.run.abort(reason())
    signal?.addEventListener('abort', abort)
    void handle.run.result.then(() => {
      signal?.removeEventListener('abort', abort)
      this.commands.delete(command.runId)
      this.sentRunIds.delete(command.runId)
    })
    const startCommand = { ...this.#host.scope(), ...command }
    this.commands.set(command.runId, startCommand)
    this.send(handle, startCommand)
    return handle
  }

  send(handle: RunHandle, command: StartRun): void {
    this.#host.sendStart(handle, command).catch((error: OffstageError) => {
      // `Restarts` resumes a run whose start was lost with its worker.
      if (error.code !== 'worker-lost') fail(handle, error)
    })
  }

  /** Returns a failed run that never reaches the worker. `message`: the run's first message. */
  refuse(ref: RunRef, error: OffstageError, message: UserContent | null): RunHandle {
    const handle = this.handleOf(ref)
    if (message) this.unsentMessages.set(ref.runId, message)
    fail(handle, error)
    return handle
  }

  endAll(outcome: RunOutcome): void {
    for (const handle of this.#openRuns.values()) handle.end(outcome)
  }

  handleOf({ runId, conversationId }: RunRef): RunHandle {
    const existing = this.#openRuns.get(runId)
    if (existing) return existing
    const ref = { runId, conversationId }
    const host = this.#host
    const handle = createRunHandle(ref, {
      resultOf: (outcome) => host.resultOf(ref, outcome),
      onAbort: (reason) => {
        this.aborts.set(runId, { conversationId, reason })
        host.sendAbort(runId)
        this.#openRuns.get(runId)?.children.stop()
      },
      onSend: (input, options, sent) => {
        const { when = 'next-step' } = options
        const message = host.messageOf(input, options)
        const messageId = message.id
        const outcome = sent.add(messageId, { role: 'user', ...message })
        void host
          .sendMessage({ ...ref, message, when })
          .then(
            (isQueued) => (isQueued ? sent.markQueued(messageId) : sent.return(messageId)),
            // A lost worker may have stored the message: the run's events or end then decide.
            (error: OffstageError) =>
              error.code === 'worker-lost' || sent.return(messageId, toErrorData(error)),
          )
          .finally(() => sent.onAnswered(messageId))
        const cancel = async (): Promise<boolean> =>
          sent.isOpen(messageId) && host.withdrawMessage({ ...ref, messageId })
        return { messageId, outcome, cancel }
      },
      onNext: (nextRunId) => this.handleOf({ runId: nextRunId, conversationId }),
      endedChildren: () => host.endedChildren(ref),
      isStored: (messageId) => host.isStored(conversationId, messageId),
      onEnd: () => {
        this.#openRuns.delete(runId)
        host.onOpen(this.#openRuns.size)
      },
      onLeft: (outcome) => host.onLeft(ref, outcome),
    })
    this.#openRuns.set(runId, handle)
    host.onOpen(this.#openRuns.size)
    host.onHandle(handle.run)
    return handle
  }
}

/** Ends the run's handle as `failed` with the thrown error. */
export function fail(handle: RunHandle, thrown: unknown): void {
  handle.end({ outcome: 'failed', error: toErrorData(thrown) })
}
