import { syntheticMessage } from '../model/compaction.ts'
import { addCost, addUsage } from '../../conversation/usage.ts'
import { answerText, messageText } from '../../conversation/result.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { ReflectMode, RunEnd } from '../../protocol/fact.ts'
import type { RunUsage, UserMessage } from '../../protocol/message.ts'
import type { ReflectSettings, StepContext } from '../../protocol/page-calls.ts'
import { buildRequest } from '../model/build-request.ts'
import type { ModelCall, ModelOutcome } from '../model/call-model.ts'
import { askQuietly } from './ask-model.ts'
import { type CountedRun, limitOf, applyLimits } from './counters.ts'
import { stopsWithoutEnd, type DrivenRun, type ModelsContext } from './run-context.ts'
import { offeredStep } from './skill-calls.ts'

interface Answer {
  readonly messageId: string
  readonly text: string
}

interface ReflectOptions extends Pick<ModelCall, 'confirm'> {
  readonly mode: ReflectMode
  /** The end that the run would get with this answer. */
  readonly end: RunEnd
}

interface ReviewRequest extends Pick<ReflectOptions, 'confirm'> {
  readonly run: CountedRun
  readonly answer: Answer
  readonly settings: ReflectSettings
  readonly stepContext: StepContext
}

/** Result of a reflection. `failed`: why the reflection failed, in words. */
interface Reflected {
  readonly text: string | null
  readonly usage: RunUsage
  readonly failed?: string
}

const NO_USAGE: RunUsage = { modelCalls: 0 }

/**
 * Asks the model to review the answer that would complete the run, if the agent reflects in this mode. Stores the
 * result, once per answer.
 *
 * A review isn't a step. Once a limit is reached, no review is made. If a review fails, the answer stays as it is.
 */
export async function reflect(
  context: ModelsContext,
  { mode, end, confirm }: ReflectOptions,
): Promise<void> {
  const { conversation, tools } = context
  const { run } = conversation
  const isEnabled = tools.reflects === undefined || tools.reflects === mode
  if (run === null || !isEnabled || !mayReflect(run, end)) return
  const answer = newestAnswer(context)
  if (answer === null) return
  const isModeKnown = tools.reflects !== undefined
  const stepContext = await reviewContext(context)
  if (typeof stepContext === 'string') {
    // If the agent's mode is still unknown (after a reload), maybe it doesn't reflect at all, so reports no failure.
    if (!isModeKnown) return
    return storeReflection(context, {
      answer,
      mode,
      reflected: { ...NO_REFLECTION, failed: stepContext },
    })
  }
  const settings = stepContext.reflect
  tools.reflects = settings?.mode ?? null
  if (settings?.mode !== mode) return
  const reflected = await askReflector(context, { run, answer, settings, stepContext, confirm })
  await storeReflection(context, { answer, mode, reflected })
}

const NO_REFLECTION: Reflected = { text: null, usage: NO_USAGE }

/** Whether the answer may be reviewed. It must be complete, and the run not in one-shot mode. */
function mayReflect(run: CountedRun, end: RunEnd): boolean {
  const isOneShot = run.limits.maxSteps === 0
  const isComplete = end.outcome === 'completed' && end.finishReason === undefined
  return isComplete && !isOneShot && run.reflected === null && limitOf(run) === null
}

function newestAnswer({ conversation: { state }, runId }: DrivenRun): Answer | null {
  const node = state.path.findLast(({ kind }) => kind === 'assistant')
  const text = answerText(node)
  return node?.runId === runId && text.trim() !== '' ? { messageId: node.id, text } : null
}

/** The page's configuration for the review, or the reason why it failed. Throws if the run or the agent was stopped. */
async function reviewContext(context: DrivenRun): Promise<StepContext | string> {
  const { agentId, conversation, page, runId, signal } = context
  const { conversationId, parent } = conversation
  const query = { agentId, runId, conversationId, reflects: true, ...(parent && { isChild: true }) }
  try {
    return await page.stepContext(query)
  } catch (error) {
    if (signal.aborted || (OffstageError.is(error) && error.code === 'disposed')) throw error
    return describeThrown(error)
  }
}

async function askReflector(context: ModelsContext, request: ReviewRequest): Promise<Reflected> {
  const { effects, signal } = context
  const { settings } = request
  const timeout = new AbortController()
  const done = new AbortController()
  void effects
    .sleep(settings.timeoutMs, AbortSignal.any([done.signal, signal]))
    .then(() => timeout.abort())
  try {
    return await callReflector(context, request, AbortSignal.any([signal, timeout.signal]))
  } catch (error) {
    if (signal.aborted) throw error
    return { ...NO_REFLECTION, failed: describeThrown(error) }
  } finally {
    done.abort()
  }
}

/** Sends the next step's request with one added message, so that the server's prompt cache still matches. */
async function callReflector(
  context: ModelsContext,
  { run, answer, settings, stepContext, confirm }: ReviewRequest,
  signal: AbortSignal,
): Promise<Reflected> {
  const { conversation, effects } = context
  let usage = NO_USAGE
  const { model } = stepContext
  const offered = offeredStep(applyLimits(stepContext, run), context)
  // A review isn't a step, so the request must not say how many steps remain.
  const runWithoutLimit = { ...run, limits: { ...run.limits, maxSteps: -1 } }
  const outcome = await askQuietly(context, run, {
    stepContext: { ...offered, model: { ...model, toolChoice: 'none' } },
    messageId: effects.newId('msg_'),
    confirm,
    signal,
    request: (toolMode) => {
      const request = buildRequest(conversation.state, runWithoutLimit, {
        stepContext: offered,
        toolMode,
      })
      return { ...request, messages: [...request.messages, reviewMessage(settings)] }
    },
    attemptFailed: async (attempt) => {
      usage = addCost(usage, attempt.usage)
    },
  })
  return readOutcome(outcome, { answer, settings, usage })
}

function readOutcome(
  outcome: ModelOutcome,
  {
    answer,
    settings,
    usage,
  }: Pick<ReviewRequest, 'answer' | 'settings'> & Pick<Reflected, 'usage'>,
): Reflected {
  switch (outcome.type) {
    case 'turn': {
      const { turn } = outcome
      const totalUsage = addUsage(usage, turn.usage)
      const text = messageText(turn).trim()
      const isCut = turn.finishReason === 'length' || turn.finishReason === 'content-filter'
      if (text === '' || isCut)
        return { text: null, usage: totalUsage, failed: isCut ? CUT_OFF : 'the model said nothing' }
      const isSame = settings.mode === 'replace' && text === answer.text.trim()
      return { text: isSame ? null : text, usage: totalUsage }
    }
    case 'failed':
      return { text: null, usage: addCost(usage, outcome.usage), failed: outcome.error.message }
    case 'aborted': {
      const failed = `it took longer than ${settings.timeoutMs} ms`
      return { text: null, usage: addCost(usage, outcome.usage), failed }
    }
    default:
      return outcome satisfies never
  }
}

const CUT_OFF = 'what the model said was cut off'

/** Stores the review. If the run was stopped meanwhile, stores only the usage: the answer stays as it is. */
async function storeReflection(
  { conversation, runId, signal, stream }: DrivenRun,
  {
    answer: { messageId },
    mode,
    reflected: { text, usage, failed },
  }: { readonly answer: Answer; readonly mode: ReflectMode; readonly reflected: Reflected },
): Promise<void> {
  const step = conversation.run?.steps ?? 0
  const isStored = await conversation.append((run) => {
    const isOver = run?.runId !== runId || run.end !== null || run.steps !== step
    if (isOver || run.reflected !== null || stopsWithoutEnd(signal)) return null
    if (signal.aborted && usage.modelCalls === 0) return null
    const storedText = signal.aborted ? null : text
    return [{ type: 'answer-reflected', step, messageId, mode, text: storedText, usage }]
  })
  if (!isStored || failed === undefined || signal.aborted) return
  const message = `reflect has failed, and the answer stays as it is: ${failed}.`
  stream.pushDelta({ type: 'warning', code: 'reflect-failed', message, runId, step, attempt: 1 })
}

function reviewMessage({ mode, instructions }: ReflectSettings): UserMessage {
  return syntheticMessage(
    `Look over your last answer, the one above.\n${instructions}\n${ORDERS[mode]}`,
  )
}

const ORDERS: Readonly<Record<ReflectMode, string>> = {
  annotate:
    'Write what is to be said about the answer, and nothing else: do not write the answer anew. Write in the language of the conversation. Call no tools.',
  replace:
    'Write the answer that the person is to get in place of it: the whole answer and nothing else, no word about the first one. If nothing is to be changed, repeat it word for word. Call no tools.',
}
