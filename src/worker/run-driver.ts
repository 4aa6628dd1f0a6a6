import type { CallAnswer, StepContext } from '../protocol/api.ts'
import { OffstageError, toErrorData, type ErrorCode } from '../protocol/error.ts'
import type { JournalBody, RunEnd } from '../protocol/journal.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { RunResult } from '../protocol/run.ts'
import { answerCall } from './answer-call.ts'
import { callModel, type ModelOutcome } from './call-model.ts'
import { conclusion, decide, type Decision } from './decide.ts'
import { settle, ToolTable, type Drive, type Stop } from './drive.ts'
import { commitEnd } from './end-run.ts'
import { providerOf } from './engines.ts'
import {
  executeCalls,
  mustBeStrict,
  nextGroup,
  runStarts,
  startEntry,
  type Start,
} from './execute-calls.ts'
import { headStart } from './head-start.ts'
import { outgoingRequest } from './outgoing.ts'
import type { Ownership } from './ownership.ts'
import { modelFetch } from './page-fetch.ts'
import { prepareCalls } from './prepare-calls.ts'
import { recoverCall } from './recover-call.ts'
import { runResult } from './run-result.ts'
import { stoppablePage } from './stoppable.ts'
import { isSettled, type CallState, type RunState } from './state.ts'
import { callEvents, modelOutput } from './take-turn.ts'
import { notRegistered } from './tool-errors.ts'
import { Tenure } from './tenure.ts'
import { availableTool } from './wait-for-tool.ts'

/**
 * Drives one run: decide, do that one effect, commit its outcome, fold, repeat. Everything else
 * (reload, crash, approval, one-shot mode) is the same loop begun from another state.
 */
export class RunDriver {
  readonly #drive: Drive
  readonly #tenure: Tenure
  readonly #stop = new AbortController()
  #stopped: Stop | null = null
  #wake: (() => void) | null = null
  /** Inputs of calls that may run, as hooks and validation left them. */
  readonly #ready = new Map<string, JsonValue>()
  /** A step whose end wasn't told yet. */
  #openStep: Extract<JournalBody, { type: 'model-output' }> | null = null
  /** Calls that started with the commit of their output, and are to be handed to the page. */
  #started: Start[] = []
  /** The model was asked since this driver took the run. */
  #hasAsked = false

  constructor(drive: Omit<Drive, 'signal' | 'tools'>, ownership: Ownership) {
    const { signal } = this.#stop
    const page = stoppablePage(drive.page, signal)
    this.#drive = { ...drive, page, tools: new ToolTable(), signal }
    this.#tenure = new Tenure(this.#drive, ownership)
  }

  get runId(): string {
    return this.#drive.runId
  }

  get agentId(): string {
    return this.#drive.agentId
  }

  abort(reason: string): void {
    this.#halt({ type: 'abort', reason })
  }

  /** Stops without an end: the run stays resumable. */
  release(): void {
    this.#halt({ type: 'release' })
  }

  toolsChanged(): void {
    this.#drive.tools.changed()
  }

  /** A person's word on a parked call; false when it waits for none. */
  async answer(answer: CallAnswer['answer'], toolCallId: string): Promise<boolean> {
    await this.#tenure.take()
    try {
      return await answerCall(this.#drive, toolCallId, answer)
    } finally {
      // Even when it was refused: another tab may have gone on or ended the run meanwhile, and the
      // loop parks again if it must.
      this.#wake?.()
    }
  }

  /** Resolves when the run has ended, or was released (null). Doesn't reject. */
  async drive(): Promise<RunResult | null> {
    try {
      return await this.#loop()
    } catch (error) {
      if (this.#stopped?.type === 'release') return null
      return this.#tellEnd({ outcome: 'failed', error: toErrorData(error) })
    } finally {
      this.#tenure.end()
    }
  }

  async #loop(): Promise<RunResult | null> {
    for (;;) {
      if (this.#stopped?.type === 'release') return null
      const run = this.#run
      if (run.end !== null) return this.#tellEnd(run.end)
      if (this.#stopped) {
        return this.#end(run, { outcome: 'aborted', reason: this.#stopped.reason })
      }
      const decision = decide(run)
      if (decision === 'end') return this.#end(run, conclusion(run) ?? NO_CONCLUSION)
      try {
        await this.#effect(decision, run)
      } catch (error) {
        // What a stop breaks off ends with the stop's own outcome.
        if (this.#stopped === null) throw error
      }
    }
  }

  #effect(decision: Exclude<Decision, 'end'>, run: RunState): Promise<void> {
    switch (decision) {
      case 'call-model':
        this.#endStep()
        return this.#callModel(run)
      case 'run-tools':
        return this.#runTools(run)
      case 'wait':
        return this.#park()
      default:
        return decision satisfies never
    }
  }

  get #run(): RunState {
    const run = this.#drive.conversation.run
    if (run === null || run.runId !== this.#drive.runId) {
      throw new OffstageError('ownership-lost', 'The conversation has moved on to another run.')
    }
    return run
  }

  async #callModel(run: RunState): Promise<void> {
    const { conversation, page, agentId, memory, effects } = this.#drive
    const context = await this.#stepContext(run)
    if (context === null || this.#stopped) return
    this.#drive.tools.set(context.tools)
    this.#drive.tools.hasBeforeToolCall = context.hasBeforeToolCall
    const step = run.steps + 1
    // Found open after a reload, or not yet begun: its commit runs beside the request, and the output
    // waits for it. Mostly the step was begun with the commit before.
    const resumed = run.stepOpen && !this.#hasAsked && this.#drive.resume !== null
    const begun =
      run.stepOpen && !resumed
        ? Promise.resolve()
        : conversation.append([{ type: 'step-started', step, resumed }])
    begun.catch(() => undefined)
    this.#hasAsked = true
    const outcome = await callModel({
      step,
      context,
      request: (toolMode) => outgoingRequest(conversation.messages, run, { context, toolMode }),
      provider: providerOf({ ...context, agentId }, this.#drive),
      memory,
      effects,
      signal: this.#stop.signal,
      credentials: (previousRejected, endpoint) =>
        page.credentials({ agentId, configId: context.configId, endpoint, previousRejected }),
      fetch: modelFetch(page, context.model),
      emit: (event) => this.#drive.events.push(event),
      isUsedId: (toolCallId) => conversation.hasCallId(toolCallId),
      attemptFailed: (usage) => conversation.append([{ type: 'attempt-failed', step, usage }]),
      begun,
    })
    await this.#takeOutcome(step, outcome)
  }

  /** Null when the page has no usable configuration: the run has ended with that error then. */
  async #stepContext(run: RunState): Promise<StepContext | null> {
    const { conversation, page, agentId, runId } = this.#drive
    const { conversationId } = conversation
    try {
      return await page.stepContext({ agentId, runId, conversationId })
    } catch (thrown) {
      const error = toErrorData(thrown)
      // A page that is gone or leaves says nothing about the run, which stays resumable.
      if (this.#stopped || !CONFIG_ERRORS.has(error.code)) throw thrown
      await commitEnd(this.#drive, run, { end: { outcome: 'failed', error } })
      return null
    }
  }

  async #takeOutcome(step: number, outcome: ModelOutcome): Promise<void> {
    switch (outcome.type) {
      case 'turn':
        return this.#takeTurn(step, outcome)
      case 'failed':
        await commitEnd(this.#drive, this.#run, {
          end: { outcome: 'failed', error: outcome.error },
          partial: outcome.partial,
        })
        return
      case 'aborted':
        if (this.#stopped?.type === 'abort') {
          await commitEnd(this.#drive, this.#run, {
            end: { outcome: 'aborted', reason: this.#stopped.reason },
            partial: outcome.partial,
          })
        }
        return
      default:
        return outcome satisfies never
    }
  }

  async #takeTurn(
    step: number,
    { turn, toolMode }: Extract<ModelOutcome, { type: 'turn' }>,
  ): Promise<void> {
    const { conversation, events, tools, validator, runId } = this.#drive
    const messageId = `${runId}:${step}`
    const output = modelOutput({ messageId, step, turn, toolMode, tools, validator })
    const starts = headStart(this.#drive, this.#run, output)
    await conversation.append([output, ...starts.map(startEntry)], { strict: mustBeStrict(starts) })
    this.#openStep = output
    this.#started = starts
    for (const event of callEvents(output.message)) events.push(event)
  }

  async #runTools(run: RunState): Promise<void> {
    const drive = this.#drive
    const started = this.#started.splice(0)
    if (started.length > 0) return runStarts(drive, started)
    if (!drive.tools.isLoaded) drive.tools.set(await drive.page.currentTools(drive.agentId))
    const open = run.calls.filter((call) => !isSettled(call))
    const executing = open.filter((call) => call.status === 'executing')
    if (executing.length > 0) {
      await Promise.all(executing.map((call) => recoverCall(drive, call)))
      return
    }
    const fresh = open.filter(
      (call) => call.status === 'proposed' && !this.#ready.has(call.toolCallId),
    )
    if (fresh.length > 0) {
      await prepareCalls(drive, fresh, this.#ready)
      return this.#requestOutputs()
    }
    await this.#execute(nextGroup(open))
  }

  async #execute(group: readonly CallState[]): Promise<void> {
    const drive = this.#drive
    const runnable: CallState[] = []
    for (const call of group) {
      if (await availableTool(drive, call)) runnable.push(call)
      else await settle(drive, [{ call, status: 'failed', output: notRegistered(call.toolName) }])
      if (this.#stopped) return
    }
    if (runnable.length > 0) await executeCalls(drive, runnable, this.#ready)
  }

  /** One-shot mode: what may run is handed to the page. */
  async #requestOutputs(): Promise<void> {
    const run = this.#run
    if (run.limits.maxSteps !== 0 || this.#stopped) return
    const handed = run.calls.filter((call) => call.status === 'proposed')
    if (handed.length === 0) return
    await this.#drive.conversation.append(
      handed.map((call) => ({
        type: 'output-requested',
        toolCallId: call.toolCallId,
        input: this.#ready.get(call.toolCallId) ?? call.input,
      })),
    )
  }

  async #park(): Promise<void> {
    this.#drive.events.flush()
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#tenure.end()
    await woken
    this.#wake = null
    if (this.#stopped?.type !== 'release') await this.#tenure.take()
  }

  #halt(stop: Stop): void {
    this.#stopped ??= stop
    this.#stop.abort(this.#stopped)
    this.#drive.tools.changed()
    this.#wake?.()
  }

  async #end(run: RunState, end: RunEnd): Promise<RunResult> {
    await commitEnd(this.#drive, run, { end })
    return this.#tellEnd(end)
  }

  #tellEnd(end: RunEnd): RunResult {
    const { conversation, events, runId } = this.#drive
    const ref = { runId, conversationId: conversation.conversationId }
    const result = runResult(ref, conversation.runEntries, end)
    this.#endStep()
    events.push({ type: 'run-end', result })
    events.flush()
    return result
  }

  #endStep(): void {
    const open = this.#openStep
    if (open === null) return
    this.#openStep = null
    this.#drive.events.push({
      type: 'step-end',
      step: open.step,
      usage: open.usage,
      finishReason: open.finishReason,
      ...(open.rawFinishReason !== undefined && { rawFinishReason: open.rawFinishReason }),
    })
  }
}

/** What is wrong with an agent's configuration, as the page finds out when a step begins. */
const CONFIG_ERRORS: ReadonlySet<ErrorCode> = new Set([
  'invalid-config',
  'unknown-provider',
  'no-tools-available',
  'schema-unsupported',
  'schema-invalid',
])

const NO_CONCLUSION: RunEnd = {
  outcome: 'failed',
  error: {
    code: 'internal',
    message: 'The run came to an end without a reason.',
    retryable: false,
  },
}
