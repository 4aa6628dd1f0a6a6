import type { CallAnswer } from '../protocol/commands.ts'
import { isStepLooping } from '../conversation/crash-loop.ts'
import type { Ownership } from '../protocol/delta.ts'
import { OffstageError, toErrorData } from '../protocol/error.ts'
import type { RunEnd } from '../protocol/fact.ts'
import { LEFT_OPEN } from '../protocol/run.ts'
import { askModel } from './ask-model.ts'
import { cutFact, turnFact, type AskedStep, type TurnOutcome } from './asked-step.ts'
import type { ModelOutcome } from './call-model.ts'
import type { CountedRun } from './counters.ts'
import { conclusion, decide, noConclusion, type Decision } from './decide.ts'
import { isLeftOpen, ToolTable, type Drive, type Stop } from './drive.ts'
import { commitEnd } from './end-run.ts'
import { mustBeStrict, startFact, takeBack } from './execute-calls.ts'
import type { FactDraft } from './fact-draft.ts'
import { headStart } from './head-start.ts'
import { leftOpenBy, stopExecuting } from './leave-run.ts'
import type { Leases } from './ownership/leases.ts'
import { PersonsWord } from './persons-word.ts'
import { publishedWaiter } from './published-waiter.ts'
import { stoppablePage } from './stoppable.ts'
import { StepCalls } from './step-calls.ts'
import { Tenure } from './tenure.ts'

/**
 * Drives one run: decide, do that one effect, commit its outcome, fold, repeat. Everything else
 * (reload, crash, approval, one-shot mode) is the same loop begun from another state.
 */
export class RunDriver {
  readonly #drive: Drive
  readonly #tenure: Tenure
  readonly #word: PersonsWord
  readonly #calls: StepCalls
  readonly #stop = new AbortController()
  #stopped: Stop | null = null
  #wake: (() => void) | null = null
  /** Aborted when what could not be committed yet is given up. */
  readonly #givenUp = new AbortController()
  /** A step was open when this driver took the run, which may have crashed the page before. */
  readonly #isOpenSinceCrash: boolean
  /** The model was asked since this driver took the run. */
  #hasAsked = false

  constructor(drive: Omit<Drive, 'dispatched' | 'ready' | 'signal' | 'tools'>, ownership: Leases) {
    const { signal } = this.#stop
    const page = stoppablePage(drive.page, signal)
    this.#drive = {
      ...drive,
      page,
      tools: new ToolTable(),
      signal,
      ready: new Map(),
      dispatched: new Set(),
    }
    this.#tenure = new Tenure(this.#drive, ownership)
    const { conversation, resume } = drive
    const mayHaveCrashed = resume !== null && resume.afterCrash !== false
    this.#isOpenSinceCrash = mayHaveCrashed && conversation.run?.stepOpen === true
    this.#word = new PersonsWord(this.#drive, this.#tenure, () => this.#wake?.())
    this.#calls = new StepCalls(this.#drive)
  }

  get runId(): string {
    return this.#drive.runId
  }

  get agentId(): string {
    return this.#drive.agentId
  }

  /** Ends the run, as aborted unless told otherwise. */
  abort(reason: string, end: RunEnd = { outcome: 'aborted', reason }): void {
    this.#halt({ type: 'end', end })
  }

  /** Stops without an end: the run stays resumable. */
  release(): void {
    this.#givenUp.abort()
    this.#halt({ type: 'release' })
  }

  /** Another worker owns the conversation now: stops without an end, and what runs for it here too. */
  takenOver(): void {
    this.#givenUp.abort()
    this.#halt({ type: 'taken-over' })
  }

  /** Another tab has decided something: a run that is parked here may go on there, or have ended. */
  async look(): Promise<void> {
    const { conversation, runId } = this.#drive
    if (this.#wake === null) return
    await conversation.refresh().catch(() => undefined)
    const { run } = conversation
    if (run?.runId === runId && run.end === null && decide(run) === 'wait') return
    // As whoever takes it over does: the loop finds its end, or that it is taken.
    this.#wake?.()
  }

  /** Ends the run of a conversation that is deleted, though its end can't be stored. */
  discard(reason: string): void {
    this.#givenUp.abort()
    this.abort(reason)
  }

  /** True while it stops without an end. */
  get isLeaving(): boolean {
    return isLeftOpen(this.#drive.signal)
  }

  get isStopped(): boolean {
    return this.#stopped !== null
  }

  toolsChanged(): void {
    this.#drive.tools.changed()
  }

  /** A person's word on a parked call; false when it waits for none. */
  answer(answer: CallAnswer['answer'], toolCallId: string): Promise<boolean> {
    return this.#word.answer(answer, toolCallId)
  }

  /** Appends to the conversation of a run that may have given it up while it waits. */
  owning<T>(append: () => Promise<T>): Promise<T> {
    return this.#word.say(append)
  }

  /** Lets a parked run go on: one that crashed again and again, or one that waits for the storage. */
  goOn(): Promise<void> {
    return this.#word.goOn()
  }

  /** Resolves when the run has ended, or goes on without this driver. Doesn't reject. */
  async drive(): Promise<void> {
    const { conversation, runId, stream } = this.#drive
    conversation.patience.waiter = publishedWaiter({ stream, runId }, this.#givenUp.signal)
    stream.own('this-tab')
    try {
      await this.#loop()
    } catch (error) {
      await this.#fail(error)
    } finally {
      conversation.patience.waiter = null
      this.#tenure.end()
    }
  }

  async #loop(): Promise<void> {
    for (;;) {
      const left = leftOpenBy(this.#stopped)
      if (left !== null) return this.#leave(left)
      const run = this.#run
      if (run.end !== null) return this.#finish()
      if (this.#stopped?.type === 'end') {
        await this.#end(this.#stopped.end)
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

  #effect(decision: Decision, run: CountedRun): Promise<void> {
    switch (decision) {
      case 'end':
        return this.#end(conclusion(run) ?? noConclusion())
      case 'call-model':
        return this.#callModel(run)
      case 'run-tools':
        return this.#calls.run(run)
      case 'wait':
        return this.#park()
      default:
        return decision satisfies never
    }
  }

  get #run(): CountedRun {
    const run = this.#drive.conversation.run
    if (run === null || run.runId !== this.#drive.runId) {
      throw new OffstageError('ownership-lost', 'The conversation has moved on to another run.')
    }
    return run
  }

  async #callModel(run: CountedRun): Promise<void> {
    const { conversation, page, agentId, runId, effects } = this.#drive
    const { conversationId } = conversation
    const step = run.steps + 1
    const resumed = this.#isOpenSinceCrash && !this.#hasAsked
    if (resumed && isStepLooping(run, effects.now())) return this.#parkForGood('crash-loop')
    const context = await page.stepContext({ agentId, runId, conversationId })
    if (this.#stopped) return
    this.#drive.tools.take(context)
    // Mostly the step was begun with the commit before.
    if (!run.stepOpen || resumed) {
      await conversation.append([{ type: 'step-started', step, resumed }])
    }
    this.#hasAsked = true
    if (this.#stopped) return
    const messageId = effects.newId('msg_')
    const outcome = await askModel(this.#drive, run, { context, messageId })
    await this.#takeOutcome({ step, messageId, context }, outcome)
  }

  async #takeOutcome(asked: AskedStep, outcome: ModelOutcome): Promise<void> {
    switch (outcome.type) {
      case 'turn':
        return this.#takeTurn(asked, outcome)
      case 'failed':
        return this.#end({ outcome: 'failed', error: outcome.error }, cutFact(asked, outcome))
      case 'aborted':
        if (this.#stopped?.type === 'end')
          await this.#end(this.#stopped.end, cutFact(asked, outcome))
        return
      default:
        return outcome satisfies never
    }
  }

  async #takeTurn(asked: AskedStep, outcome: TurnOutcome): Promise<void> {
    const { conversation } = this.#drive
    const output = turnFact(this.#drive, asked, outcome)
    const starts = headStart(this.#drive, output)
    await conversation.append([output, ...starts.map(startFact)], { strict: mustBeStrict(starts) })
    if (this.#stopped) await takeBack(this.#drive, starts)
    else this.#calls.begin(starts)
  }

  /** The run rests, for whoever takes it up, until somebody lets it go on. */
  async #parkForGood(reason: 'crash-loop'): Promise<void> {
    await this.#drive.conversation.append([{ type: 'run-parked', reason }])
  }

  async #park(): Promise<void> {
    const { conversation, stream } = this.#drive
    stream.flush()
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#tenure.end()
    await woken
    this.#wake = null
    this.#calls.askAgain()
    if (!this.isLeaving) await conversation.patience.persist(() => this.#tenure.take())
  }

  #halt(stop: Stop): void {
    this.#stopped ??= stop
    this.#stop.abort(this.#stopped)
    this.#drive.tools.changed()
    this.#wake?.()
  }

  /** The one place where a run ends: in the store. The loop finds it there. */
  #end(end: RunEnd, cut: FactDraft | null = null): Promise<void> {
    return commitEnd(this.#drive, { end, cut })
  }

  /** What was thrown becomes the run's end, unless it goes on elsewhere, or later. */
  async #fail(thrown: unknown): Promise<void> {
    try {
      if (leftOpenBy(this.#stopped, thrown) !== null || this.#givenUp.signal.aborted) throw thrown
      await this.#end({ outcome: 'failed', error: toErrorData(thrown) })
      this.#finish()
    } catch (failure) {
      const left = leftOpenBy(this.#stopped, failure)
      if (left !== null) return this.#leave(left)
      this.#finish(
        this.#stopped?.type === 'end'
          ? this.#stopped.end
          : { outcome: 'failed', error: toErrorData(failure) },
      )
    }
  }

  /** The run goes on elsewhere, or later: its handles end, and nothing is stored. */
  #leave(reason: string): void {
    if (reason !== LEFT_OPEN.disposed) stopExecuting(this.#drive, reason)
    const isTaken = reason === LEFT_OPEN.takenOver
    this.#finish({ outcome: 'aborted', reason }, isTaken ? 'other-tab' : 'none')
  }

  /** `unstored`: how it ends for its handles when no fact says so. */
  #finish(unstored?: RunEnd, ownership: Ownership = 'none'): void {
    const { conversation, stream, runId } = this.#drive
    const { run } = conversation
    const isStored = run?.runId === runId && run.end !== null
    this.#tenure.announce()
    if (unstored && !isStored) stream.delta({ type: 'run-left', runId, outcome: unstored })
    stream.own(ownership)
    stream.flush()
  }
}
