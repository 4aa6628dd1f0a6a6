import { isStepLooping } from '../../conversation/crash-loop.ts'
import type { ModelOutcome } from '../model/call-model.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { amendMessage } from './amend-message.ts'
import { askModel } from './ask-model.ts'
import { cutFact, cutForMessage, turnFact, type AskedStep, type TurnOutcome } from './asked-step.ts'
import type { CountedRun } from './counters.ts'
import { commitCut } from './cut-step.ts'
import { commitEnd } from './end-run.ts'
import { takeBack } from './execute-calls.ts'
import { mustBeStrict, startFact } from './starts.ts'
import { headStart } from './head-start.ts'
import { learnTokens, learnWindow } from './context-room.ts'
import { makeRoom } from './make-room.ts'
import { nextStep } from './look-ahead.ts'
import { deliveries } from './queued-messages.ts'
import { recall } from './recall.ts'
import { withReminder } from './remind-of-plan.ts'
import { limitOf, withinLimits } from './run-budget.ts'
import type { RunContext } from './run-context.ts'
import type { RunLease } from './run-lease.ts'
import { renewedSkills } from './skill-calls.ts'
import { sealOutput } from './seal-output.ts'
import { offeredStep } from './skill-rules.ts'
import type { StepCalls } from './step-calls.ts'
import type { StopSwitch } from './stop-switch.ts'
import { takeDescriptions } from './take-descriptions.ts'

interface Parts {
  readonly stop: StopSwitch
  readonly lease: RunLease
  readonly calls: StepCalls
  /** Called when another worker owns the conversation. */
  takenOver(): void
}

/** Asks the model for a run's steps, and commits the outcomes. */
export class ModelSteps {
  readonly #context: RunContext
  readonly #parts: Parts
  /** Whether a step was open when this driver took the run. That step may have crashed the page. */
  readonly #isOpenSinceCrash: boolean
  /** Whether this driver has already asked the model. */
  #hasAsked = false

  constructor(context: RunContext, parts: Parts) {
    this.#context = context
    this.#parts = parts
    const { conversation, resume } = context
    const mayHaveCrashed = resume !== null && resume.afterCrash !== false
    this.#isOpenSinceCrash = mayHaveCrashed && conversation.run?.stepOpen === true
  }

  async ask(run: CountedRun): Promise<void> {
    try {
      await this.#ask(run)
    } finally {
      this.#context.family.stepOver()
    }
  }

  async #ask(before: CountedRun): Promise<void> {
    const { conversation, page, agentId, runId, effects } = this.#context
    const { stop, lease, takenOver } = this.#parts
    const { conversationId } = conversation
    const step = before.steps + 1
    const resumed = this.#isOpenSinceCrash && !this.#hasAsked
    if (resumed && isStepLooping(before, effects.now())) return this.#park('crash-loop')
    const asked = await page.stepContext({
      agentId,
      runId,
      conversationId,
      ...(conversation.parent && { isChild: true }),
    })
    const renewed = before.steps === 0 ? await renewedSkills(this.#context) : []
    if (stop.stopped) return
    const run = await this.#admitted(before)
    if (run === null || stop.stopped) return
    // The commit before has usually started the step, without knowing its own time. A time limit may be reached now.
    const begins = !run.stepOpen || resumed || limitOf(run) !== before.limit
    await conversation.append(() => {
      const facts = [...renewed, ...deliveries(conversation.state)]
      if (begins) facts.push(nextStep(run, { resumed }))
      return facts.length > 0 ? facts : null
    })
    this.#hasAsked = true
    if (stop.stopped) return
    const stepContext = withinLimits(offeredStep(asked, this.#context), run)
    this.#context.tools.take(stepContext)
    await takeDescriptions(this.#context, stepContext)
    await recall(this.#context, stepContext)
    if (stop.stopped) return
    await amendMessage(this.#context, step, stepContext)
    if (stop.stopped) return
    const confirm = (): Promise<boolean> | true => lease.confirm(takenOver)
    await makeRoom(this.#context, { stepContext, confirm, occasion: 'asked' })
    if (stop.stopped) return
    const messageId = effects.newId('msg_')
    const outcome = await askModel(this.#context, run, { stepContext, messageId, confirm })
    if (outcome.type === 'failed') learnWindow(this.#context, stepContext, outcome.error)
    const isMended =
      isOverflow(outcome) &&
      (await makeRoom(this.#context, { stepContext, confirm, occasion: 'refused' }))
    if (!isMended) return this.#takeOutcome({ step, messageId, stepContext }, outcome)
    if (stop.stopped) return
    // Tries once only: after a second refusal, leaving out more wouldn't help.
    const again = {
      stepContext,
      messageId: effects.newId('msg_'),
      confirm,
      firstAttempt: outcome.attempt + 1,
    }
    await this.#takeOutcome({ step, ...again }, await askModel(this.#context, run, again))
  }

  /** The run with the limits for its next step. Null: the run ends without another step. */
  async #admitted(run: CountedRun): Promise<CountedRun | null> {
    const { conversation, family } = this.#context
    // Most runs have neither a parent run nor child runs.
    if (!run.forCall && !run.children) return run
    const admitted = await conversation.storageRetry.persist(() => family.admit(run))
    if (admitted.type === 'step') return admitted.run
    if (!this.#parts.stop.stopped) await commitEnd(this.#context, { end: admitted.end })
    return null
  }

  /** Cuts the step short. The run continues with the person's message. */
  async cut(cut: FactDraft | null): Promise<void> {
    this.#parts.calls.begin([])
    this.#context.ready.clear()
    await commitCut(this.#context, cut)
  }

  async #takeOutcome(asked: AskedStep, outcome: ModelOutcome): Promise<void> {
    switch (outcome.type) {
      case 'turn':
        return this.#takeTurn(asked, outcome)
      case 'failed': {
        const end = { outcome: 'failed', error: outcome.error } as const
        await commitEnd(this.#context, { end, cut: cutFact(asked, outcome) })
        return
      }
      case 'aborted': {
        const { stopped } = this.#parts.stop
        if (stopped?.type === 'end')
          await commitEnd(this.#context, { end: stopped.end, cut: cutFact(asked, outcome) })
        else if (stopped?.type === 'cut') await this.cut(cutForMessage(asked, outcome))
        return
      }
      default:
        return outcome satisfies never
    }
  }

  async #takeTurn(asked: AskedStep, outcome: TurnOutcome): Promise<void> {
    const { conversation } = this.#context
    const { stop, calls } = this.#parts
    learnTokens(this.#context, asked, outcome)
    const fact = await sealOutput(this.#context, turnFact(this.#context, asked, outcome))
    const output = withReminder(fact, this.#context)
    const starts = headStart(this.#context, output)
    await conversation.append([output, ...starts.map(startFact)], { strict: mustBeStrict(starts) })
    if (stop.stopped) await takeBack(this.#context, starts)
    else calls.begin(starts)
  }

  /** Pauses the run, for any owner, until somebody continues it. */
  async #park(reason: 'crash-loop'): Promise<void> {
    await this.#context.conversation.append([{ type: 'run-parked', reason }])
  }
}

function isOverflow(outcome: ModelOutcome): boolean {
  if (outcome.type !== 'failed' || outcome.partial.length > 0) return false
  return outcome.error.code === 'context-overflow'
}
