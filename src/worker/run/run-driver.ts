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
import { settleOverdue, untilOverdue } from './settle.ts'
import { reflect } from './reflect.ts'
import { RunLease } from './run-lease.ts'
import type { Waiter } from '../store/storage-retry.ts'
import type { CallState, RunState } from '../../protocol/state.ts'
import { resultOf } from '../../conversation/result.ts'
import type { VerifyQuery } from '../../protocol/page-calls.ts'
import { isPaused } from '../../conversation/pending.ts'
import type { FactDraft } from '../store/fact-draft.ts'

/**
 * Withdraws calls that another page described for approval, or whose secrets are lost, even if they were approved.
 * The person may have seen an outdated description, so these calls are decided again. Checked at the commit.
 */
async function withdrawAskedElsewhere({
  conversation,
  pageId,
  runId,
}: CallsContext): Promise<void> {
  // A nested call isn't lost: its composite tool's function supplies the secrets again.
  const isLost = ({ path, toolCallId, input }: CallState): boolean =>
    path.length === 1 && conversation.secrets.restore(toolCallId, input) === null
  const isElsewhere = (call: CallState): boolean =>
    (call.status === 'awaiting-approval' || call.status === 'approved') &&
    ((call.about !== undefined && call.about.pageId !== pageId) || isLost(call))
  if (!conversation.run?.calls.some(isElsewhere)) return
  await conversation.append((run) => {
    const open = run?.runId === runId && run.end === null ? run.calls.filter(isElsewhere) : []
    return open.length > 0
      ? open.map(({ path }) => ({ type: 'call-withdrawn' as const, path }))
      : null
  })
}

/** Attempts to commit a person's answer if other owners write first. */
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
  async answer(given: PersonAnswer, answerId: string): Promise<CommandResult> {
    const { conversation } = this.#context
    try {
      const isWanted = (run: RunState | null): boolean =>
        waitingCall(run, given.toolCallId, given.answer) !== null
      const word = (): Promise<boolean> => answerCall(this.#context, given, answerId)
      return (await this.#say(isWanted, word)) ? 'applied' : 'not-waiting'
    } catch (error) {
      if (!isOtherOwnerError(error)) throw error
      await conversation.refresh()
      // Wakes the loop, so that it notices that another owner has the run.
      if (!waitingCall(conversation.run, given.toolCallId, given.answer)) this.#wake()
      return 'other-owner'
    }
  }

  /** Sends or withdraws a message, or revokes a consent. */
  async steer(said: Steering, steerId: string): Promise<CommandResult> {
    try {
      const isWanted = (run: RunState | null): boolean => run?.end === null
      const word = (): Promise<boolean> => commitSteering(this.#context, said, steerId)
      return (await this.#say(isWanted, word)) ? 'applied' : 'not-waiting'
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
    await this.#say(isPaused, async () => {
      const nextFacts = (run: RunState | null): FactDraft[] | null =>
        isPaused(run) ? [{ type: 'run-continued' }] : null
      await conversation.append(nextFacts, { waits: false })
    })
  }

  /** Appends as the owner. `isWanted`: whether a run that another device owns still takes this answer or message. */
  async #say<T>(isWanted: (run: RunState | null) => boolean, word: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      await this.#lease.acquire(isWanted)
      try {
        const said = await word()
        this.#lease.announce()
        this.#wake()
        return said
      } catch (error) {
        if (!OffstageError.is(error) || error.code !== 'ownership-lost') {
          // If the run still waits, the loop gives the lease back.
          this.#wake()
          throw error
        }
        // Another owner wrote first. The next attempt reads that before it decides.
        this.#lease.end()
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
 * and the run continues. Skipped if the answer has no text, or if no step is left for a better one.
 */
async function rejectAnswer(context: DrivenRun, run: CountedRun, end: RunEnd): Promise<boolean> {
  const { conversation, effects, runId, tools } = context
  const { maxSteps } = run.limits
  const isLast = (maxSteps >= 0 && run.steps >= maxSteps) || limitOf(run) !== null
  if (end.outcome !== 'completed' || isLast || !tools.hasVerify) return false
  // Only accepted answers are annotated, so this one was verified before.
  if (run.reflected === 'annotate') return false
  const answer = answerOf(context, run, end)
  const feedback = answer && (await askVerifier(context, answer))
  if (feedback === null) return false
  const message = { id: effects.newId('msg_'), text: wordsOf(feedback) }
  await conversation.append((now) =>
    now?.runId !== runId || now.end !== null || now.steps !== run.steps
      ? null
      : [{ type: 'answer-rejected', step: run.steps, message }],
  )
  return true
}

function answerOf(
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

/** The page's objection to the answer. Null: none, or its check failed, which must not withhold the answer. */
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

function wordsOf(feedback: string): string {
  return `The app has checked your answer, and it is not good enough yet:\n${feedback}\nGive the whole answer again, corrected.`
}

/**
 * Drives one run in a loop: decide the next action, do it, commit its outcome, fold. A reload, a crash, an approval and
 * one-shot mode all use this loop, started from another state.
 */
export class RunDriver {
  /** Runs the calls that functions of composite tools make. */
  readonly nested: NestedCalls
  readonly #context: RunContext
  readonly #lease: RunLease
  readonly #word: PersonAnswers
  readonly #calls: StepCalls
  readonly #model: ModelSteps
  readonly #stop: StopSwitch
  #wake: (() => void) | null = null
  /** Aborts commits that still wait for the storage. */
  readonly #givenUp = new AbortController()

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
    this.#word = new PersonAnswers(this.#context, this.#lease, () => this.#wake?.())
    this.#calls = new StepCalls(this.#context)
    this.nested = new NestedCalls(this.#context)
    this.#model = new ModelSteps(this.#context, {
      stop,
      lease: this.#lease,
      calls: this.#calls,
      takenOver: () => this.takenOver(),
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

  end(end: RunEnd): void {
    this.#halt({ type: 'end', end })
  }

  abort(reason: string): void {
    this.end({ outcome: 'aborted', reason })
  }

  /** Stops driving without ending the run, which stays resumable. */
  release(): void {
    this.#givenUp.abort()
    this.#halt({ type: 'release' })
  }

  /** Stops driving, and cancels the run's tools here: another worker owns the conversation now. */
  takenOver(): void {
    this.#givenUp.abort()
    this.#halt({ type: 'taken-over' })
  }

  /**
   * Checks the store after another tab has announced a change. A run that waits here may have been resumed there or
   * have ended, and the conversation may be deleted.
   */
  async checkStore(): Promise<void> {
    const { conversation, runId } = this.#context
    // Checked first: a refresh would forget the deleted run, whose outcome must still be published.
    if (await conversation.isDeleted().catch(() => false)) return this.#discard()
    if (this.#wake === null) return
    await conversation.refresh().catch(() => undefined)
    const { run } = conversation
    if (run?.runId === runId && run.end === null && decide(run) === 'wait') return
    // The loop claims the run again, and finds its end or its new owner.
    this.#wake?.()
  }

  /** Ends the run of a deleted conversation, even though its end can't be stored. */
  discard(reason: string): void {
    this.#givenUp.abort()
    this.abort(reason)
  }

  #discard(): void {
    this.#givenUp.abort()
    this.#halt({ type: 'deleted' })
  }

  /** Whether the driver leaves the run unfinished. */
  get isLeaving(): boolean {
    const { stopped } = this.#stop
    return stopped !== null && leavesUnfinished(stopped)
  }

  /** The end that somebody requested. Null: none. */
  get requestedEnd(): RunEnd | null {
    const { stopped } = this.#stop
    return stopped?.type === 'end' ? stopped.end : null
  }

  get isStopped(): boolean {
    const { stopped } = this.#stop
    return stopped !== null && stopped.type !== 'cut'
  }

  toolsChanged(): void {
    this.#context.tools.changed()
  }

  /** Commits a person's answer to a call. */
  answer(given: PersonAnswer, answerId: string): Promise<CommandResult> {
    return this.#word.answer(given, answerId)
  }

  /** Sends or withdraws a message, or revokes a consent. */
  async steer(said: Steering, steerId: string): Promise<CommandResult> {
    const result = await this.#word.steer(said, steerId)
    const cuts = result === 'applied' && said.type === 'send' && said.when === 'now'
    // A message doesn't resume a paused run.
    if (cuts && this.#run.paused === null) this.#halt({ type: 'cut' })
    return result
  }

  /** Continues a run that is paused after repeated crashes, or that waits for the storage. */
  resumePaused(): Promise<void> {
    return this.#word.resumePaused()
  }

  /** Resolves to the run's stored end. Null: the run stays unfinished, or another owner has it. Never rejects. */
  async drive(): Promise<RunEnd | null> {
    const { conversation, runId, stream } = this.#context
    conversation.storageRetry.waiter = publishedWaiter({ stream, runId }, this.#givenUp.signal)
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
    // The row keeps the time without a driver out of the active time.
    if (resume !== null && limits.minutes !== undefined && activeSince !== null)
      await conversation.append([{ type: 'run-resumed' }])
    await withdrawAskedElsewhere(this.#context)
  }

  async #loop(): Promise<void> {
    for (;;) {
      const left = unfinishedReason(this.#stop.stopped)
      if (left !== null) return await this.#leave(left)
      if (this.#storedEnd !== null) return this.#finish()
      const run = this.#run
      if (this.#stop.stopped?.type === 'end') {
        await this.#endRun(this.#stop.stopped.end)
        continue
      }
      if (this.#stop.stopped?.type === 'cut') {
        await this.#model.cut(null)
        this.#stop.renew()
        continue
      }
      try {
        await this.#effect(decide(run), run)
      } catch (error) {
        // An error that a stop causes is ignored: the run ends with the stop's own outcome.
        if (this.#stop.stopped === null) throw error
      }
    }
  }

  #effect(decision: Decision, run: CountedRun): Promise<void> {
    switch (decision) {
      case 'call-model':
        return this.#model.ask(run)
      case 'run-tools':
        return this.#runTools(run)
      case 'wait':
        return this.#rest(run)
      default:
        return this.#complete(decision)
    }
  }

  async #runTools(run: CountedRun): Promise<void> {
    try {
      await this.#calls.run(run)
    } catch (error) {
      if (this.#stop.stopped !== null) await this.nested.idle()
      throw error
    }
    await this.nested.idle()
    this.nested.throwFailure()
  }

  get #run(): CountedRun {
    const run = this.#context.conversation.run
    if (run === null || run.runId !== this.#context.runId) {
      throw new OffstageError('ownership-lost', 'The conversation has moved on to another run.')
    }
    return run
  }

  async #rest(run: CountedRun): Promise<void> {
    if (!(await settleOverdue(this.#context, run))) await this.#pause(run)
  }

  async #pause(run: CountedRun): Promise<void> {
    const { conversation, effects, stream } = this.#context
    stream.flush()
    const isAwake = new AbortController()
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#lease.end()
    void untilOverdue(effects, run, isAwake.signal).then((isLate) => isLate && this.#wake?.())
    await woken
    isAwake.abort()
    this.#wake = null
    this.#calls.askAgain()
    // A run that another device has ended needs no lease, whose claim may take long.
    if (!this.isLeaving && this.#storedEnd === null)
      await conversation.storageRetry.persist(() => this.#lease.takeBack())
  }

  #halt(stop: Stop): void {
    this.#stop.halt(stop)
    this.#context.tools.changed()
    this.#wake?.()
  }

  /**
   * Reviews and verifies the answer, then ends the run. `replace` comes before verification, so that the new answer is
   * verified. `annotate` comes after it: a rejected answer needs no remarks.
   */
  async #complete(end: RunEnd): Promise<void> {
    const confirm = (): Promise<boolean> | true => this.#lease.confirm(() => this.takenOver())
    await reflect(this.#context, { mode: 'replace', end, confirm })
    if (this.#stop.stopped || (await rejectAnswer(this.#context, this.#run, end))) return
    await reflect(this.#context, { mode: 'annotate', end, confirm })
    if (!this.#stop.stopped) await this.#endRun(end)
  }

  #endRun(end: RunEnd): Promise<void> {
    return commitEnd(this.#context, { end })
  }

  /** Ends the run with the thrown error, unless another owner has the run or it stays resumable. */
  async #fail(thrown: unknown): Promise<void> {
    try {
      if (unfinishedReason(this.#stop.stopped, thrown) !== null || this.#givenUp.signal.aborted)
        throw thrown
      await this.#endRun({ outcome: 'failed', error: toErrorData(thrown) })
      this.#finish()
    } catch (failure) {
      const left = unfinishedReason(this.#stop.stopped, failure)
      if (left !== null) return await this.#leave(left)
      this.#finish(
        this.#stop.stopped?.type === 'end'
          ? this.#stop.stopped.end
          : { outcome: 'failed', error: toErrorData(failure) },
      )
    }
  }

  /** Leaves the run unfinished: ends its handles on the page, and stores nothing. */
  async #leave(reason: string): Promise<void> {
    const isTaken = reason === UNFINISHED_REASONS.takenOver
    // After `takenOver()`, this driver claims the run no more, even if it gets an answer or a message.
    if (isTaken && this.#stop.stopped === null) this.takenOver()
    const isDisposed = reason === UNFINISHED_REASONS.disposed
    if (!isDisposed) stopExecuting(this.#context, reason)
    this.#finish({ outcome: 'aborted', reason }, isTaken ? 'other-tab' : 'none')
    // Reads the new state from the store: the run may have been resumed, have ended, or be gone.
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
