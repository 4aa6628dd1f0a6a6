import { isStepLooping } from '../../conversation/crash-loop.ts'
import type { ModelOutcome } from '../model/call-model.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import {
  actionPartLoader,
  type RequestedStep,
  askModel,
  cutFact,
  cutForMessage,
  turnFact,
  type TurnOutcome,
} from './ask-model.ts'
import {
  type CountedRun,
  endsEarly,
  isBlank,
  limitOf,
  reminderText,
  applyLimits,
} from './counters.ts'
import { commitEnd, type StopSwitch } from './end-run.ts'
import {
  withdrawStarts,
  mustBeStrict,
  nextGroup,
  type Start,
  startFact,
  startsOf,
} from './execute-calls.ts'
import { learnTokens, learnWindow } from './context-room.ts'
import { compactIfNeeded } from './make-room.ts'
import { decide, lookAhead, nextStep } from './decide.ts'
import { deliveries, hasDeliveries } from './queued-messages.ts'
import type { CallsContext, DrivenRun, RunContext } from './run-context.ts'
import type { RunLease } from './run-lease.ts'
import { skillRefusal, offeredStep, renewedSkills } from './skill-calls.ts'
import { hideOutputSecrets, type ModelOutput } from './hide-secrets.ts'
import type { StepCalls } from './step-calls.ts'
import { contextOn, isOpenItem, planOf } from '../../conversation/context.ts'
import type { MemoryQuery, StepContext } from '../../protocol/page-calls.ts'
import { applyContext, landmarks } from '../model/compaction.ts'
import type { PlanItem } from '../../protocol/fact.ts'
import type { CallState, ConversationState, MessageNode } from '../../protocol/state.ts'
import { runsWithoutApproval, taintFor } from './approval/judge-approval.ts'
import { checkInput } from '../validation/check-input.ts'
import { isSettled } from '../../conversation/pending.ts'
import { settledFact, type Settlement, settlementAtEnd } from './settle.ts'
import { headId, originOfSkill, originOfTools } from '../../conversation/tree.ts'
import { nextRequestTaint } from '../../conversation/taint.ts'
import { sameJson } from '../../lib/json/same-json.ts'
import type { Effects } from '../effects.ts'
import { isRequest, messageWords, retrievedMemories } from '../../conversation/requests.ts'

/**
 * Asks the page's `beforeModel` hook how to send each new message of a person. Stores the answers before the model is
 * asked. Later requests then send the same text, which keeps the prompt cache valid.
 */
async function amendMessages(
  { agentId, conversation, page, runId, signal }: DrivenRun,
  step: number,
  { hasBeforeModel }: StepContext,
): Promise<void> {
  if (!hasBeforeModel) return
  const { conversationId, state: before } = conversation
  const { newestStep } = landmarks(before.path)
  for (const [index, { id: messageId, kind, sent }] of before.path.entries()) {
    if (index <= newestStep || kind !== 'user' || sent) continue
    const { state } = conversation
    const messages = applyContext(state.path.slice(0, index + 1), contextOn(state))
    const amendment = await page.beforeModel({ agentId, runId, conversationId, step, messages })
    if (signal.aborted) return
    await conversation.append([{ type: 'message-amended', messageId, ...amendment }])
  }
}

/**
 * Cuts the current step short because a person wrote a message. Commits the partial step (`cut`), the ends of its
 * calls, and the message.
 */
async function commitCut(context: DrivenRun, cut: FactDraft | null): Promise<void> {
  const { conversation, runId, page } = context
  let executionIds: readonly string[] = []
  const isNew = await conversation.append((run) => {
    if (run?.runId !== runId || run.end !== null) return null
    const settlements = run.calls.flatMap(settlementAtCut)
    executionIds = settlements.flatMap(({ call }) => call.executionId ?? [])
    const facts = [
      ...(cut ? [cut] : []),
      ...context.family.usageOf(settlements.map(({ call }) => call)),
      ...settlements.map(settledFact),
      ...deliveries(conversation.state),
    ]
    return facts.length > 0 ? facts : null
  })
  if (isNew && executionIds.length > 0)
    page.acknowledgeTools({ executionIds }).catch(() => undefined)
}

const WROTE_INSTEAD = 'The person wrote a message instead.'

function settlementAtCut(call: CallState): Settlement[] {
  if (isSettled(call)) return []
  const isWaiting = call.status === 'awaiting-approval' || call.status === 'awaiting-answer'
  return isWaiting
    ? [{ call, status: 'aborted', output: { type: 'denied', reason: WROTE_INSTEAD } }]
    : settlementAtEnd(call)
}

/**
 * Calls whose start is stored in the same commit as the model's output, which saves one wait for the disk per step.
 * Empty if a hook, an approval, an invalid call, one-shot mode or redaction is involved: `prepareCalls` handles these
 * calls.
 */
function earlyStarts(context: CallsContext, output: ModelOutput): Start[] {
  const { conversation, tools } = context
  if (conversation.run?.limits.maxSteps === 0 || tools.hasBeforeToolCall || context.signal.aborted)
    return []
  if (conversation.redacts) return []
  const next = lookAhead(conversation, [output])
  if (next === null || next.calls.length === 0 || decide(next) !== 'run-tools') return []
  if (!next.calls.every((call) => startsDirectly(context, call) && !skillRefusal(context, call)))
    return []
  return startsOf(context, nextGroup(next.calls))
}

function startsDirectly(
  { conversation, tools, validator }: CallsContext,
  call: CallState,
): boolean {
  const tool = tools.get(call.toolName)
  if (tool === undefined || call.error !== null || tool.control !== undefined) return false
  const taint = taintFor(conversation.state, tool)
  const isUnclear = conversation.secrets.isUnclear(call.toolCallId)
  if (!runsWithoutApproval({ call, tool, taint, isUnclear, isOneShot: false })) return false
  const inputWithSecrets = conversation.secrets.restore(call.toolCallId, call.input)
  return inputWithSecrets !== null && checkInput(validator, tool, inputWithSecrets) === null
}

/**
 * Asks the page for memories that match the newest request, and stores them before the model is asked. Does so only
 * once per message, even if another owner resumes the run.
 */
async function retrieveMemories(
  { agentId, conversation, page, runId, signal }: DrivenRun,
  { hasMemory }: StepContext,
): Promise<void> {
  const request = hasMemory ? requestWithoutMemories(conversation.state) : undefined
  const query = request ? messageWords(request.message) : ''
  if (request === undefined || query === '') return
  const { conversationId, parent, state: before } = conversation
  const items = await page.retrieveMemories({
    agentId,
    runId,
    conversationId,
    query,
    writtenBy: authorOf(request, Boolean(parent)),
    tainted: nextRequestTaint(before).length > 0,
  })
  if (signal.aborted) return
  await conversation.append((run) => {
    const isOpen = run?.runId === runId && run.end === null
    const { state } = conversation
    if (!isOpen || requestWithoutMemories(state)?.id !== request.id) return null
    const after = headId(state)
    const isUntrusted = items.some(({ untrusted }) => untrusted === true)
    return [
      { type: 'memory-retrieved', after, items },
      ...(isUntrusted ? [{ type: 'context-tainted', after, origin: 'memory' } as const] : []),
    ]
  })
}

/** The author of a request. In a child run's conversation, the parent's model wrote the first message. */
function authorOf(
  { message, parentId }: MessageNode,
  isForCall: boolean,
): MemoryQuery['writtenBy'] {
  if ('trigger' in message) return 'app'
  return isForCall && parentId === null ? 'model' : 'person'
}

/** The newest request, if no memories were retrieved for it yet. */
function requestWithoutMemories(state: ConversationState): MessageNode | undefined {
  return retrievedMemories(state) ? undefined : state.path.findLast(isRequest)
}

/**
 * Adds a reminder to an output that would complete the run too early, because it has no answer or the plan has open
 * items. The run has at most one reminder of the plan.
 *
 * Adds none in the last step: the run would end as cut short instead of complete.
 */
function withReminder(
  output: ModelOutput,
  { conversation, effects }: ReminderContext,
): ModelOutput {
  const { state, run } = conversation
  if (run === null) return output
  const isLast =
    run.limit !== null || (run.limits.maxSteps >= 0 && output.step >= run.limits.maxSteps)
  if (isLast) return output
  const remind = (text: string): ModelOutput => ({
    ...output,
    reminder: { id: effects.newId('msg_'), text },
  })
  // A model that stays silent after feedback isn't reminded again.
  if (endsEarly(output) && state.path.at(-1)?.kind !== 'feedback')
    return remind(reminderText(output))
  const continues = output.calls.length > 0 || output.feedback !== undefined || hasDeliveries(state)
  if (continues || run.wasReminded || output.finishReason !== 'stop' || isBlank(output))
    return output
  const open = planOf(state)?.filter(isOpenItem) ?? []
  if (open.length === 0) return output
  const next = lookAhead(conversation, [output])
  // If a limit is reached, the next step is already the last answer, so it needs no reminder.
  return next && limitOf(next) !== null ? output : remind(reminderOf(open))
}

interface ReminderContext {
  readonly conversation: { readonly state: ConversationState; readonly run: CountedRun | null }
  readonly effects: Pick<Effects, 'newId'>
}

function reminderOf(open: readonly PlanItem[]): string {
  const items = open.map(({ content, status }) => `- ${content} (${status})`).join('\n')
  return `Your plan still has open items:\n${items}\nGo on with them, mark what is done or dropped, or answer if that is all.`
}

type Offered = Pick<StepContext, 'tools' | 'skills'>

/**
 * Stores the origins of untrusted tool and skill descriptions in the step's request, if they differ from the last
 * request's. Descriptions can influence the model like results, so they taint the context, too.
 */
async function storeDescriptionOrigins(
  { conversation, runId }: Pick<DrivenRun, 'conversation' | 'runId'>,
  offered: Offered,
): Promise<void> {
  const origins = descriptionOrigins(offered)
  if (hasSameOrigins(conversation.state, origins)) return
  await conversation.append((run) => {
    const { state } = conversation
    if (run?.runId !== runId || run.end !== null || hasSameOrigins(state, origins)) return null
    return [{ type: 'descriptions-changed', after: headId(state), origins }]
  })
}

/** Origins of the descriptions, without the app itself and trusted sources. */
function descriptionOrigins({ tools, skills = [] }: Offered): readonly string[] {
  const sources = tools.flatMap(({ remote }) =>
    remote && !remote.trusted ? originOfTools(remote.source) : [],
  )
  const loaded = skills.flatMap(({ name, loaded: isLoaded }) =>
    isLoaded ? originOfSkill(name) : [],
  )
  return [...new Set([...sources, ...loaded])].toSorted()
}

function hasSameOrigins(state: ConversationState, origins: readonly string[]): boolean {
  const newest = contextOn(state).findLast((row) => row.type === 'descriptions-changed')
  return sameJson([...(newest?.origins ?? [])], [...origins])
}

interface StepParts {
  readonly stop: StopSwitch
  readonly lease: RunLease
  readonly calls: StepCalls
  /** Called when another worker owns the conversation. */
  onTakenOver(): void
}

/** Asks the model for a run's steps, and commits the outcomes. */
export class ModelSteps {
  readonly #context: RunContext
  readonly #parts: StepParts
  /** Whether a step was open when this driver resumed the run. That step may have crashed the page. */
  readonly #isOpenSinceCrash: boolean
  /** Whether the page has lost several workers to this run. */
  #isLooping: boolean
  /** Whether this driver has already asked the model. */
  #hasAsked = false

  constructor(context: RunContext, parts: StepParts) {
    this.#context = context
    this.#parts = parts
    const { conversation, resume } = context
    this.#isLooping = resume?.afterCrash === 'loop'
    const mayHaveCrashed = resume !== null && resume.afterCrash !== false
    this.#isOpenSinceCrash = mayHaveCrashed && conversation.run?.stepOpen === true
  }

  async ask(run: CountedRun): Promise<void> {
    try {
      await this.#runStep(run)
    } finally {
      this.#context.family.endStep()
    }
  }

  async #runStep(before: CountedRun): Promise<void> {
    const { conversation, page, agentId, runId, effects, memory } = this.#context
    const { stop, lease, onTakenOver } = this.#parts
    const { conversationId } = conversation
    const step = before.steps + 1
    const resumed = this.#isOpenSinceCrash && !this.#hasAsked
    const isLooping = this.#isLooping || isStepLooping(before, effects.now())
    // Counts until somebody continues the run.
    this.#isLooping = false
    if (resumed && isLooping) return this.#pause('crash-loop')
    const offered = await page.stepContext({
      agentId,
      runId,
      conversationId,
      ...(conversation.parent && { isChild: true }),
    })
    const skillFacts = before.steps === 0 ? await renewedSkills(this.#context) : []
    if (stop.stopped) return
    const run = await this.#admit(before)
    if (run === null || stop.stopped) return
    // The previous commit has usually started the step already. A time limit may have been reached since then.
    const mustStart = !run.stepOpen || resumed || limitOf(run) !== before.limit
    await conversation.append(() => {
      const facts = [...skillFacts, ...deliveries(conversation.state)]
      if (mustStart) facts.push(nextStep(run, { resumed }))
      return facts.length > 0 ? facts : null
    })
    this.#hasAsked = true
    if (stop.stopped) return
    const stepContext = applyLimits(offeredStep(offered, this.#context), run)
    this.#context.tools.update(stepContext)
    await storeDescriptionOrigins(this.#context, stepContext)
    await retrieveMemories(this.#context, stepContext)
    if (stop.stopped) return
    await amendMessages(this.#context, step, stepContext)
    if (stop.stopped) return
    // Loads the part that writes ACTION text, because the request's size depends on this text.
    if (memory.toolMode(stepContext.model) === 'action') await actionPartLoader(this.#context)()
    const confirm = (): Promise<boolean> | true => lease.confirm(onTakenOver)
    await compactIfNeeded(this.#context, { stepContext, confirm, occasion: 'asked' })
    if (stop.stopped) return
    const messageId = effects.newId('msg_')
    const outcome = await askModel(this.#context, run, { stepContext, messageId, confirm })
    if (outcome.type === 'failed') learnWindow(this.#context, stepContext, outcome.error)
    const mayRetry =
      isOverflow(outcome) &&
      (await compactIfNeeded(this.#context, { stepContext, confirm, occasion: 'refused' }))
    if (!mayRetry) return this.#handleOutcome({ step, messageId, stepContext }, outcome)
    if (stop.stopped) return
    // Retries only once: after a second refusal, leaving out more wouldn't help.
    const retry = {
      stepContext,
      messageId: effects.newId('msg_'),
      confirm,
      firstAttempt: outcome.attempt + 1,
    }
    await this.#handleOutcome({ step, ...retry }, await askModel(this.#context, run, retry))
  }

  /** Returns the run with the limits for its next step. Null if the run ends without another step. */
  async #admit(run: CountedRun): Promise<CountedRun | null> {
    const { conversation, family } = this.#context
    // Skips the check for the many runs that have neither a parent run nor child runs.
    if (!run.forCall && !run.children) return run
    const admission = await conversation.storageRetry.persist(() => family.admit(run))
    if (admission.type === 'step') return admission.run
    if (!this.#parts.stop.stopped) await commitEnd(this.#context, { end: admission.end })
    return null
  }

  /** Cuts the step short. The run continues with the person's message. */
  async cut(cut: FactDraft | null): Promise<void> {
    this.#parts.calls.setStarted([])
    this.#context.ready.clear()
    await commitCut(this.#context, cut)
  }

  async #handleOutcome(requested: RequestedStep, outcome: ModelOutcome): Promise<void> {
    switch (outcome.type) {
      case 'turn':
        return this.#commitTurn(requested, outcome)
      case 'failed': {
        const end = { outcome: 'failed', error: outcome.error } as const
        await commitEnd(this.#context, { end, cut: cutFact(requested, outcome) })
        return
      }
      case 'aborted': {
        const { stopped } = this.#parts.stop
        if (stopped?.type === 'end')
          await commitEnd(this.#context, { end: stopped.end, cut: cutFact(requested, outcome) })
        else if (stopped?.type === 'cut') await this.cut(cutForMessage(requested, outcome))
        return
      }
      default:
        return outcome satisfies never
    }
  }

  async #commitTurn(requested: RequestedStep, outcome: TurnOutcome): Promise<void> {
    const { conversation } = this.#context
    const { stop, calls } = this.#parts
    learnTokens(this.#context, requested, outcome)
    const fact = await hideOutputSecrets(this.#context, turnFact(this.#context, requested, outcome))
    const output = withReminder(fact, this.#context)
    const starts = earlyStarts(this.#context, output)
    await conversation.append([output, ...starts.map(startFact)], { strict: mustBeStrict(starts) })
    if (stop.stopped) await withdrawStarts(this.#context, starts)
    else calls.setStarted(starts)
  }

  /** Pauses the run in the store, so that every owner waits until somebody continues it. */
  async #pause(reason: 'crash-loop'): Promise<void> {
    await this.#context.conversation.append([{ type: 'run-paused', reason }])
  }
}

function isOverflow(outcome: ModelOutcome): boolean {
  if (outcome.type !== 'failed' || outcome.partial.length > 0) return false
  return outcome.error.code === 'context-overflow'
}
