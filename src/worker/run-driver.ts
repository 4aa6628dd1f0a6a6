import type { CallAnswer } from '../protocol/api.ts'
import { OffstageError, toErrorData } from '../protocol/error.ts'
import type { JournalBody, RunEnd } from '../protocol/journal.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { RunResult } from '../protocol/run.ts'
import { answerCall, waitingCall } from './answer-call.ts'
import { callModel, type ModelOutcome } from './call-model.ts'
import { isStepLooping } from './crash-loop.ts'
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
import { isElsewhere, type Ownership } from './ownership.ts'
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
  /** Aborted when what could not be committed yet is given up. */
  readonly #givenUp = new AbortController()
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
    this.#givenUp.abort()
    this.#halt({ type: 'release' })
  }

  /** Ends the run of a conversation that is deleted, though its end can't be stored. */
  discard(reason: string): void {
    this.#givenUp.abort()
    this.abort(reason)
  }

  get isReleased(): boolean {
    return this.#stopped?.type === 'release'
  }

  get isStopped(): boolean {
    return this.#stopped !== null
  }

  toolsChanged(): void {
    this.#drive.tools.changed()
  }

  /** A person's word on a parked call; false when it waits for none. */
  async answer(answer: CallAnswer['answer'], toolCallId: string): Promise<boolean> {
    const { conversation } = this.#drive
    try {
      return await this.#say(() => answerCall(this.#drive, toolCallId, answer))
    } catch (error) {
      if (!isElsewhere(error)) throw error
      await conversation.refresh()
      if (waitingCall(conversation.run, toolCallId, answer)) throw error
      // The loop finds that the run goes on elsewhere.
      this.#wake?.()
      return false
    }
  }

  /** Lets a parked run go on: one that crashed again and again, or one that waits for the storage. */
  async goOn(): Promise<void> {
    const { conversation, events } = this.#drive
    conversation.patience.retry()
    if (conversation.run?.parked == null) return
    await this.#say(async () => {
      const goesOn = (run: RunState | null): JournalBody[] | null =>
        run?.parked == null || run.end !== null ? null : [{ type: 'run-continued' }]
      if (await conversation.append(goesOn, { waits: false })) {
        events.push({ type: 'run-continued' })
      }
    })
  }

  /** Resolves when the run has ended, or was released (null). Doesn't reject. */
  async drive(): Promise<RunResult | null> {
    const { conversation, events } = this.#drive
    conversation.patience.waiter = {
      signal: this.#givenUp.signal,
      onPark: (reason) => {
        events.push({ type: 'run-parked', reason })
        events.flush()
      },
      onContinue: () => events.push({ type: 'run-continued' }),
    }
    try {
      return await this.#loop()
    } catch (error) {
      return await this.#fail(error)
    } finally {
      conversation.patience.waiter = null
      this.#tenure.end()
    }
  }

  /** A person's word: journaled as the owner, then the loop looks again. */
  async #say<T>(word: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      await this.#tenure.take()
      try {
        const said = await word()
        this.#wake?.()
        return said
      } catch (error) {
        if (!OffstageError.is(error) || error.code !== 'ownership-lost') throw error
        // Somebody else wrote first: what they wrote decides, so it is read before the next try.
        this.#tenure.lose()
        if (attempt === MAX_CLAIMS) throw error
      }
    }
  }

  async #loop(): Promise<RunResult | null> {
    for (;;) {
      if (this.#stopped?.type === 'release') return null
      const run = this.#run
      if (run.end !== null) return this.#tellEnd(run.end)
      if (this.#stopped) {
        await this.#end({ outcome: 'aborted', reason: this.#stopped.reason })
        continue
      }
      try {
        await this.#effect(decide(run), run)
      } catch (error) {
        // What a stop breaks off ends with the stop's own outcome.
        if (this.#stopped === null) throw error
      }
    }
  }

  #effect(decision: Decision, run: RunState): Promise<void> {
    switch (decision) {
      case 'end':
        return this.#end(conclusion(run) ?? NO_CONCLUSION)
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
    const { conversation, page, agentId, runId, memory, effects } = this.#drive
    const { conversationId } = conversation
    const step = run.steps + 1
    const resumed = run.stepOpen && !this.#hasAsked && this.#drive.resume !== null
    if (resumed && isStepLooping(run, effects.now())) return this.#parkForGood('crash-loop')
    const context = await page.stepContext({ agentId, runId, conversationId })
    if (this.#stopped) return
    this.#drive.tools.set(context.tools)
    this.#drive.tools.hasBeforeToolCall = context.hasBeforeToolCall
    // Mostly the step was begun with the commit before.
    if (!run.stepOpen || resumed) {
      await conversation.append([{ type: 'step-started', step, resumed }])
    }
    this.#hasAsked = true
    if (this.#stopped) return
    const outcome = await callModel({
      step,
      context,
      request: (toolMode) => outgoingRequest(conversation.messages, run, { context, toolMode }),
      provider: providerOf({ ...context, agentId }, this.#drive),
      memory,
      effects,
      signal: this.#stop.signal,
      credentials: (previousRejected) => page.credentials({ agentId, previousRejected }),
      fetch: modelFetch(page, context.model),
      emit: (event) => this.#drive.events.push(event),
      isUsedId: (toolCallId) => conversation.hasCallId(toolCallId),
      attemptFailed: (usage) => conversation.append([{ type: 'attempt-failed', step, usage }]),
    })
    await this.#takeOutcome(step, outcome)
  }

  async #takeOutcome(step: number, outcome: ModelOutcome): Promise<void> {
    switch (outcome.type) {
      case 'turn':
        return this.#takeTurn(step, outcome)
      case 'failed':
        return this.#end({ outcome: 'failed', error: outcome.error }, outcome.partial)
      case 'aborted':
        if (this.#stopped?.type === 'abort') {
          const { reason } = this.#stopped
          await this.#end({ outcome: 'aborted', reason }, outcome.partial)
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

  /** The run rests, for whoever takes it up, until somebody lets it go on. */
  async #parkForGood(reason: 'crash-loop'): Promise<void> {
    await this.#drive.conversation.append([{ type: 'run-parked', reason }])
    this.#drive.events.push({ type: 'run-parked', reason })
  }

  async #park(): Promise<void> {
    const { conversation, events } = this.#drive
    events.flush()
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#tenure.end()
    await woken
    this.#wake = null
    if (this.isReleased) return
    try {
      await conversation.patience.persist(() => this.#tenure.take())
    } catch (error) {
      if (!OffstageError.is(error) || error.code !== 'conversation-busy') throw error
      throw new OffstageError('ownership-lost', 'The run went on in another tab.')
    }
  }

  #halt(stop: Stop): void {
    this.#stopped ??= stop
    this.#stop.abort(this.#stopped)
    this.#drive.tools.changed()
    this.#wake?.()
  }

  /** The one place where a run ends: in the journal. The loop finds it there, and emits it. */
  #end(end: RunEnd, partial = ''): Promise<void> {
    return commitEnd(this.#drive, { end, partial })
  }

  /** What was thrown becomes the run's end, unless another owner goes on with it. */
  async #fail(thrown: unknown): Promise<RunResult | null> {
    const error = toErrorData(thrown)
    try {
      if (error.code === 'ownership-lost' || this.#givenUp.signal.aborted) throw thrown
      const end: RunEnd = { outcome: 'failed', error }
      await this.#end(end)
      return this.#tellEnd(this.#run.end ?? end)
    } catch (failure) {
      if (this.isReleased) return null
      return this.#tellEnd(
        this.#stopped?.type === 'abort'
          ? { outcome: 'aborted', reason: this.#stopped.reason }
          : { outcome: 'failed', error: toErrorData(failure) },
      )
    }
  }

  #tellEnd(end: RunEnd): RunResult {
    const { conversation, events, runId } = this.#drive
    const ref = { runId, conversationId: conversation.conversationId }
    const entries = conversation.runEntries.filter((entry) => entry.runId === runId)
    const result = runResult(ref, entries, end)
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

/** How often a person's word is tried though other owners come in between. */
const MAX_CLAIMS = 3

const NO_CONCLUSION: RunEnd = {
  outcome: 'failed',
  error: {
    code: 'internal',
    message: 'The run came to an end without a reason.',
    retryable: false,
  },
}
