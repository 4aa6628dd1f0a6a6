import type { Ownership } from '../../protocol/delta.ts'
import { OffstageError, toErrorData } from '../../protocol/error.ts'
import type { RunEnd } from '../../protocol/fact.ts'
import { UNFINISHED_REASONS } from '../../protocol/run.ts'
import {
  answerCall,
  type CommandResult,
  type PersonAnswer,
  waitingCall,
} from './approval/answer-call.ts'
import { type CountedRun, limitOf } from './counters.ts'
import { decide, type Decision } from './decide.ts'
import {
  leavesUnfinished,
  type Stop,
  ToolTable,
  type CallsContext,
  type DrivenRun,
  type RunContext,
} from './run-context.ts'
import { commitEnd, unfinishedReason, stopExecuting, StopSwitch } from './end-run.ts'
import { type Leases, isOtherOwnerError } from '../ownership/leases.ts'
import { NestedCalls, StepCalls } from './step-calls.ts'
import { ModelSteps } from './model-steps.ts'
import { commitSteering, type Steering } from './queued-messages.ts'
import { settleOverdue, whenOverdue } from './settle.ts'
import { reflect } from './reflect.ts'
import { RunLease } from './run-lease.ts'
import type { Waiter } from '../store/storage-retry.ts'
import type { CallState, RunState } from '../../protocol/state.ts'
import { resultOf } from '../../conversation/result.ts'
import type { VerifyQuery } from '../../protocol/page-calls.ts'
import { isPaused } from '../../conversation/pending.ts'
import type { FactDraft } from '../store/fact-draft.ts'

/**
 * Withdraws calls that another page described for approval, or that are lost (default: none), even if they were approved.
 * They are decided again, because the person may have seen an outdated description.
 */
async function withdrawForeignApprovals(
  { conversation, pageId, runId }: CallsContext,
  isLost: (call: CallState) => boolean = () => false,
): Promise<void> {
  const mustWithdraw = (call: CallState): boolean =>
    (call.status === 'awaiting-approval' || call.status === 'approved') &&
    ((call.about !== undefined && call.about.pageId !== pageId) || isLost(call))
  if (!conversation.run?.calls.some(mustWithdraw)) return
  await conversation.append((run) => {
    const open = run?.runId === runId && run.end === null ? run.calls.filter(mustWithdraw) : []
    return open.length > 0
      ? open.map(({ path }) => ({ type: 'call-withdrawn' as const, path }))
      : null
  })
}

/** Maximum of attempts to commit a person's answer while other owners write first. */
const MAX_CLAIMS = 3

/** Commits a person's answers and messages to a run as its owner, then wakes the run's loop. */
class PersonAnswers {
  readonly #context: CallsContext
  readonly #lease: RunLease
  readonly #wake: () => void

  constructor(context: CallsContext, lease: RunLease, wake: () => void) {
    this.#context = context
    this.#lease = lease
    this.#wake = wake
  }

  /** Commits a person's answer to a call. */
  async answer(request: PersonAnswer, answerId: string): Promise<CommandResult> {
    const { conversation } = this.#context
    try {
      const accepts = (run: RunState | null): boolean =>
        waitingCall(run, request.toolCallId, request.answer) !== null
      const commit = (): Promise<boolean> => answerCall(this.#context, request, answerId)
      return (await this.#commitAsOwner(accepts, commit)) ? 'applied' : 'not-waiting'
    } catch (error) {
      if (!isOtherOwnerError(error)) throw error
      await conversation.refresh()
      // Wakes the loop, so that it notices that another owner has the run.
      if (!waitingCall(conversation.run, request.toolCallId, request.answer)) this.#wake()
      return 'other-owner'
    }
  }

  /** Sends or withdraws a message, or revokes a consent. */
  async steer(request: Steering, steerId: string): Promise<CommandResult> {
    try {
      const accepts = (run: RunState | null): boolean => run?.end === null
      const commit = (): Promise<boolean> => commitSteering(this.#context, request, steerId)
      return (await this.#commitAsOwner(accepts, commit)) ? 'applied' : 'not-waiting'
    } catch (error) {
      if (!isOtherOwnerError(error)) throw error
      this.#wake()
      return 'other-owner'
    }
  }

  /** Continues a run that is paused after repeated crashes, or that waits for the storage. */
  async resumePaused(): Promise<void> {
    const { conversation } = this.#context
    conversation.storageRetry.retry()
    if (!isPaused(conversation.run)) return
    await this.#commitAsOwner(isPaused, async () => {
      const nextFacts = (run: RunState | null): FactDraft[] | null =>
        isPaused(run) ? [{ type: 'run-continued' }] : null
      await conversation.append(nextFacts, { waits: false })
    })
  }

  /**
   * Commits as the run's owner. If another device owns the run, `accepts` tells whether its newest state still allows
   * this commit.
   */
  async #commitAsOwner<T>(
    accepts: (run: RunState | null) => boolean,
    commit: () => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      await this.#lease.acquire(accepts)
      try {
        const result = await commit()
        this.#lease.announce()
        this.#wake()
        return result
      } catch (error) {
        if (!OffstageError.is(error) || error.code !== 'ownership-lost') {
          // Wakes the loop, which releases the lease if the run still waits.
          this.#wake()
          throw error
        }
        // Another owner wrote first. The next attempt reads the new rows before it decides.
        this.#lease.release()
        if (attempt === MAX_CLAIMS) throw error
      }
    }
  }
}

/** Makes a run's commits wait for the storage until the signal aborts, and notifies the page of the wait. */
function publishedWaiter(
  { stream, runId }: Pick<DrivenRun, 'stream' | 'runId'>,
  signal: AbortSignal,
): Waiter {
  return {
    signal,
    onPause: (reason) => {
      stream.pushDelta({ type: 'storage-waits', runId, reason })
      stream.flush()
    },
    onContinue: () => stream.pushDelta({ type: 'storage-takes', runId }),
  }
}

/**
 * Asks the page to verify the answer that would end the run. Returns true if it was rejected: the rejection is stored,
 * and the run continues. Skipped if the answer has no text, or if no step is left for a better answer.
 */
async function rejectAnswer(context: DrivenRun, run: CountedRun, end: RunEnd): Promise<boolean> {
  const { conversation, effects, runId, tools } = context
  const { maxSteps } = run.limits
  const isLast = (maxSteps >= 0 && run.steps >= maxSteps) || limitOf(run) !== null
  if (end.outcome !== 'completed' || isLast || !tools.hasVerify) return false
  // Only accepted answers are annotated, so this answer was verified before.
  if (run.reflected === 'annotate') return false
  const answer = verifyQuery(context, run, end)
  const feedback = answer && (await askVerifier(context, answer))
  if (feedback === null) return false
  const message = { id: effects.newId('msg_'), text: feedbackText(feedback) }
  await conversation.append((current) =>
    current?.runId !== runId || current.end !== null || current.steps !== run.steps
      ? null
      : [{ type: 'answer-rejected', step: run.steps, message }],
  )
  return true
}

function verifyQuery(
  { agentId, conversation, runId }: DrivenRun,
  { rejections }: CountedRun,
  end: RunEnd,
): VerifyQuery | null {
  const { conversationId, state } = conversation
  const { text, toolCalls } = resultOf(state, runId, { outcome: end })
  const messageId = state.path.findLast((node) => node.kind === 'assistant')?.id
  if (messageId === undefined || text.trim() === '') return null
  return { agentId, runId, conversationId, messageId, round: rejections + 1, text, toolCalls }
}

/**
 * The page's objection to the answer. Null if the page accepts the answer. Also null if its `verify` fails, which must
 * not block the answer.
 */
async function askVerifier(
  { page, signal }: DrivenRun,
  answer: VerifyQuery,
): Promise<string | null> {
  const { agentId, messageId } = answer
  try {
    return await page.verify(answer)
  } catch (error) {
    if (signal.aborted) page.stopVerifying({ agentId, messageId }).catch(() => undefined)
    // The run was stopped, or its agent disposed. The next owner asks again.
    if (signal.aborted || (OffstageError.is(error) && error.code === 'disposed')) throw error
    return null
  }
}

function feedbackText(feedback: string): string {
  return `The app has checked your answer, and it is not good enough yet:\n${feedback}\nGive the whole answer again, corrected.`
}

/**
 * Drives one run in a loop: decide the next action, do it, commit its outcome, fold. After a reload, a crash or an
 * approval, and in one-shot mode, the same loop starts from another state.
 */
export class RunDriver {
  /** Runs the calls that functions of composite tools make. */
  readonly nested: NestedCalls
  readonly #context: RunContext
  readonly #lease: RunLease
  readonly #answers: PersonAnswers
  readonly #calls: StepCalls
  readonly #modelSteps: ModelSteps
  readonly #stop: StopSwitch
  #wake: (() => void) | null = null
  /** Aborts commits that still wait for the storage. */
  readonly #waitController = new AbortController()

  constructor(
    context: Omit<
      RunContext,
      'dispatched' | 'losses' | 'ready' | 'signal' | 'tools' | 'warnedTools'
    >,
    ownership: Leases,
  ) {
    const stop = new StopSwitch(context.page)
    this.#stop = stop
    this.#context = {
      ...context,
      get page() {
        return stop.page
      },
      get signal() {
        return stop.signal
      },
      tools: new ToolTable(),
      ready: new Map(),
      dispatched: new Set(),
      warnedTools: new Set(),
      losses: [],
    }
    this.#lease = new RunLease(this.#context, ownership)
    this.#answers = new PersonAnswers(this.#context, this.#lease, () => this.#wake?.())
    this.#calls = new StepCalls(this.#context)
    this.nested = new NestedCalls(this.#context)
    this.#modelSteps = new ModelSteps(this.#context, {
      stop,
      lease: this.#lease,
      calls: this.#calls,
      onTakenOver: () => this.handleTakeover(),
    })
  }

  get runId(): string {
    return this.#context.runId
  }

  /** Id of the run that started when this one ended. The same worker must drive it. */
  get next(): string | null {
    return this.isLeaving ? null : (this.#context.nextRunId ?? null)
  }

  get agentId(): string {
    return this.#context.agentId
  }

  requestEnd(end: RunEnd): void {
    this.#halt({ type: 'end', end })
  }

  abort(reason: string): void {
    this.requestEnd({ outcome: 'aborted', reason })
  }

  /** Stops driving without ending the run, so that it can be resumed. */
  release(): void {
    this.#waitController.abort()
    this.#halt({ type: 'release' })
  }

  /** Stops driving, and cancels the run's tools here: another worker owns the conversation now. */
  handleTakeover(): void {
    this.#waitController.abort()
    this.#halt({ type: 'taken-over' })
  }

  /**
   * Checks the store after another tab has announced a change. The waiting run may have been resumed by another tab or
   * have ended, or the conversation may have been deleted.
   */
  async checkStore(): Promise<void> {
    const { conversation, runId } = this.#context
    // Checks this before `refresh()`, which would forget the deleted run: its outcome must still be published.
    if (await conversation.isDeleted().catch(() => false)) return this.#haltDeleted()
    if (this.#wake === null) return
    await conversation.refresh().catch(() => undefined)
    const { run } = conversation
    if (run?.runId === runId && run.end === null && decide(run) === 'wait') return
    // The loop claims the run again, and finds its end or its new owner.
    this.#wake?.()
  }

  /** Ends the run of a deleted conversation, even though its end can't be stored. */
  discard(reason: string): void {
    this.#waitController.abort()
    this.abort(reason)
  }

  #haltDeleted(): void {
    this.#waitController.abort()
    this.#halt({ type: 'deleted' })
  }

  /** Whether the driver has stopped and leaves the run unfinished. */
  get isLeaving(): boolean {
    const { stopped } = this.#stop
    return stopped !== null && leavesUnfinished(stopped)
  }

  get requestedEnd(): RunEnd | null {
    const { stopped } = this.#stop
    return stopped?.type === 'end' ? stopped.end : null
  }

  /** Whether the run has ended, or is being stopped. */
  get isStopped(): boolean {
    const { stopped } = this.#stop
    return this.#storedEnd !== null || (stopped !== null && stopped.type !== 'cut')
  }

  toolsChanged(): void {
    this.#context.tools.notify()
  }

  answer(request: PersonAnswer, answerId: string): Promise<CommandResult> {
    return this.#answers.answer(request, answerId)
  }

  async steer(request: Steering, steerId: string): Promise<CommandResult> {
    const result = await this.#answers.steer(request, steerId)
    const cutsStep = result === 'applied' && request.type === 'send' && request.when === 'now'
    // A message doesn't resume a paused run.
    if (cutsStep && this.#run.paused === null) this.#halt({ type: 'cut' })
    return result
  }

  resumePaused(): Promise<void> {
    return this.#answers.resumePaused()
  }

  /**
   * Drives the run and resolves to its stored end. Null if the run stays unfinished, or another owner has it. Never
   * rejects.
   */
  async drive(): Promise<RunEnd | null> {
    const { conversation, runId, stream } = this.#context
    conversation.storageRetry.waiter = publishedWaiter(
      { stream, runId },
      this.#waitController.signal,
    )
    stream.setOwnership('this-tab')
    try {
      await this.#recordResumption()
      await this.#loop()
    } catch (error) {
      await this.#fail(error)
    } finally {
      conversation.storageRetry.waiter = null
    }
    return this.#storedEnd
  }

  get #storedEnd(): RunEnd | null {
    const { conversation, runId } = this.#context
    const { run } = conversation
    if (run?.runId === runId) return run.end
    return run?.follows?.runId === runId ? run.follows.end : null
  }

  async #recordResumption(): Promise<void> {
    const { conversation, resume } = this.#context
    const { limits, activeSince } = this.#run
    // Thanks to this row, the time without a driver doesn't count as active time.
    if (resume !== null && limits.minutes !== undefined && activeSince !== null)
      await conversation.append([{ type: 'run-resumed' }])
    // A nested call's secrets aren't lost: its composite tool's function supplies them again.
    await withdrawForeignApprovals(
      this.#context,
      ({ path, toolCallId, input }) =>
        path.length === 1 && conversation.secrets.restore(toolCallId, input) === null,
    )
  }

  async #loop(): Promise<void> {
    for (;;) {
      const reason = unfinishedReason(this.#stop.stopped)
      if (reason !== null) return await this.#leaveRun(reason)
      if (this.#storedEnd !== null) return this.#finish()
      const run = this.#run
      if (this.#stop.stopped?.type === 'end') {
        await this.#endRun(this.#stop.stopped.end)
        continue
      }
      if (this.#stop.stopped?.type === 'cut') {
        await this.#modelSteps.cut(null)
        this.#stop.renew()
        continue
      }
      try {
        await this.#act(decide(run), run)
      } catch (error) {
        // An error that a stop caused is ignored: the run ends with the outcome of the stop.
        if (this.#stop.stopped === null) throw error
      }
    }
  }

  #act(decision: Decision, run: CountedRun): Promise<void> {
    switch (decision) {
      case 'call-model':
        return this.#modelSteps.ask(run)
      case 'run-tools':
        return this.#runTools(run)
      case 'wait':
        return this.#waitOrSettle(run)
      default:
        return this.#complete(decision)
    }
  }

  async #runTools(run: CountedRun): Promise<void> {
    try {
      await this.#calls.run(run)
    } catch (error) {
      if (this.#stop.stopped !== null) await this.nested.whenIdle()
      throw error
    }
    await this.nested.whenIdle()
    this.nested.throwFailure()
  }

  get #run(): CountedRun {
    const run = this.#context.conversation.run
    if (run === null || run.runId !== this.#context.runId) {
      throw new OffstageError('ownership-lost', 'The conversation has moved on to another run.')
    }
    return run
  }

  async #waitOrSettle(run: CountedRun): Promise<void> {
    if (!(await settleOverdue(this.#context, run))) await this.#pause(run)
  }

  async #pause(run: CountedRun): Promise<void> {
    const { conversation, effects, pageId, stream } = this.#context
    stream.flush()
    const awake = new AbortController()
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#lease.release()
    void whenOverdue(effects, run, awake.signal).then((isLate) => isLate && this.#wake?.())
    await woken
    awake.abort()
    this.#wake = null
    this.#calls.dropDecisions()
    // If another device has ended the run, no lease is needed. A claim could take long.
    if (this.isLeaving || this.#storedEnd !== null) return
    await conversation.storageRetry.persist(() => this.#lease.reacquire())
    // During the wait, another page may have replaced the request, and this page's person approved that one.
    for (const { about } of conversation.run?.calls ?? [])
      if (about && about.pageId !== pageId) await withdrawForeignApprovals(this.#context)
  }

  #halt(stop: Stop): void {
    this.#stop.halt(stop)
    this.#context.tools.notify()
    this.#wake?.()
  }

  /**
   * Reviews and verifies the answer, then ends the run. `replace` comes before verification, so that the new answer is
   * verified. `annotate` comes after it: a rejected answer needs no remarks.
   */
  async #complete(end: RunEnd): Promise<void> {
    const confirm = (): Promise<boolean> | true => this.#lease.confirm(() => this.handleTakeover())
    await reflect(this.#context, { mode: 'replace', end, confirm })
    if (this.#stop.stopped || (await rejectAnswer(this.#context, this.#run, end))) return
    await reflect(this.#context, { mode: 'annotate', end, confirm })
    if (!this.#stop.stopped) await this.#endRun(end)
  }

  #endRun(end: RunEnd): Promise<void> {
    return commitEnd(this.#context, { end })
  }

  /** Ends the run with the thrown error. Leaves the run unfinished if another owner has it, or if it can be resumed. */
  async #fail(thrown: unknown): Promise<void> {
    try {
      if (
        unfinishedReason(this.#stop.stopped, thrown) !== null ||
        this.#waitController.signal.aborted
      )
        throw thrown
      await this.#endRun({ outcome: 'failed', error: toErrorData(thrown) })
      this.#finish()
    } catch (failure) {
      const reason = unfinishedReason(this.#stop.stopped, failure)
      if (reason !== null) return await this.#leaveRun(reason)
      this.#finish(
        this.#stop.stopped?.type === 'end'
          ? this.#stop.stopped.end
          : { outcome: 'failed', error: toErrorData(failure) },
      )
    }
  }

  /** Leaves the run unfinished: ends its handles on the page, and stores nothing. */
  async #leaveRun(reason: string): Promise<void> {
    const isTakenOver = reason === UNFINISHED_REASONS.takenOver
    // Prevents a new claim by this driver, even if it gets an answer or a message.
    if (isTakenOver && this.#stop.stopped === null) this.handleTakeover()
    const isDisposed = reason === UNFINISHED_REASONS.disposed
    if (!isDisposed) stopExecuting(this.#context, reason)
    this.#finish({ outcome: 'aborted', reason }, isTakenOver ? 'other-tab' : 'none')
    // Reads the new state from the store: the run may have been resumed or ended, or its conversation deleted.
    if (!isDisposed) await this.#context.conversation.refresh().catch(() => undefined)
  }

  /** `unstored`: the end that the run's handles on the page get if no end is stored. */
  #finish(
    unstored?: RunEnd,
    ownership: Ownership = this.next === null ? 'none' : 'this-tab',
  ): void {
    const { stream, runId } = this.#context
    this.#lease.announce()
    if (unstored && !this.#storedEnd)
      stream.pushDelta({ type: 'run-left', runId, outcome: unstored })
    stream.setOwnership(ownership)
    stream.flush()
  }
}
