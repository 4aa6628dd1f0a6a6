import type { Delta } from '../../protocol/delta.ts'
import type { StepContext } from '../../protocol/questions.ts'
import {
  callModel,
  type CallDelta,
  type ModelCall,
  type ModelOutcome,
} from '../model/call-model.ts'
import type { CountedRun } from './counters.ts'
import type { RunContext } from './run-context.ts'
import { providerOf } from '../model/engines.ts'
import { buildRequest } from '../model/build-request.ts'
import { meterUsage } from '../model/meter-usage.ts'
import { modelFetch } from '../model/page-fetch.ts'
import { REQUEST_CHANGED, TOOLS_REFUSED } from '../../providers/core/ladder.ts'
import { readsTextCalls } from '../../providers/text-calls.ts'
import { resolveName } from './resolve-name.ts'
import { PROMPT_TRUNCATED } from './truncated-prompt.ts'
import { maySeal } from './seal-output.ts'
import type { ToolTable } from './tool-table.ts'

type Asking = Pick<ModelCall, 'confirm' | 'messageId' | 'firstAttempt' | 'stepContext'>

interface AskingQuietly extends Pick<
  ModelCall,
  'attemptFailed' | 'confirm' | 'messageId' | 'request' | 'stepContext'
> {
  /** Default: the run's signal. */
  readonly signal?: AbortSignal
}

/** Asks the model for the run's next step, configured by the page's `stepContext`. */
export async function askModel(
  context: RunContext,
  run: CountedRun,
  asking: Asking,
): Promise<ModelOutcome> {
  const { conversation, memory, runId, tools } = context
  const { stepContext } = asking
  const step = run.steps + 1
  const hides = inputHider(context)
  memory.forms.restore(conversation.forms.values())
  const request: ModelCall['request'] = (toolMode) =>
    buildRequest(conversation.state, run, { stepContext, toolMode })
  if (readsTextCalls(stepContext.model, memory.toolMode(stepContext.model)))
    conversation.sentWords.takeUnstored(stepContext)
  const { drafts } = conversation
  // Drafts must not hold secrets, and which values are secret is known only once the answer is complete.
  if (tools.sealing.length === 0) drafts.begin()
  try {
    return await callModel({
      ...reaching(context, stepContext),
      ...asking,
      step,
      request,
      meter: meter(context, run, { stepContext, request }),
      emit: (given, attempt) => {
        if (hides(given)) return
        const delta = { ...named(given, tools), runId, step, attempt }
        report(context, delta)
        drafts.note(delta)
      },
      attemptFailed: (failed) => conversation.append([{ type: 'attempt-failed', step, ...failed }]),
    })
  } finally {
    drafts.end()
  }
}

/**
 * Asks the model outside the run's steps. Shows nothing, and returns the outcome to the caller. Losses are still
 * reported: later steps have them, too, and no second refusal would report them.
 */
export function askQuietly(
  context: RunContext,
  run: CountedRun,
  asking: AskingQuietly,
): Promise<ModelOutcome> {
  const { runId } = context
  const step = run.steps + 1
  return callModel({
    ...reaching(context, asking.stepContext),
    ...asking,
    step,
    meter: meter(context, run, asking),
    emit: (given, attempt) => {
      const delta = { ...given, runId, step, attempt }
      if (isLoss(delta)) report(context, delta)
    },
  })
}

/** Returns a function that computes an attempt's usage, as the run's limits count it. */
function meter(
  { conversation, runId, stream }: RunContext,
  run: CountedRun,
  { stepContext, request }: Pick<ModelCall, 'request' | 'stepContext'>,
): ModelCall['meter'] {
  return (said, attempt) => {
    const usage = meterUsage(said, {
      model: stepContext.model,
      limits: run.limits,
      request: () => request(said.toolMode),
    })
    if (usage.estimated && !conversation.run?.usage.estimated)
      stream.delta({ type: 'warning', ...ESTIMATED, runId, step: run.steps + 1, attempt })
    return usage
  }
}

/** The options of a model call that are the same for every request: provider, credentials, `fetch` and so on. */
function reaching(
  context: RunContext,
  stepContext: StepContext,
): Pick<
  ModelCall,
  'credentials' | 'effects' | 'fetch' | 'isUsedId' | 'memory' | 'provider' | 'signal'
> {
  const { agentId, conversation, effects, memory, page, signal } = context
  const { configId, keyless, model } = stepContext
  return {
    provider: providerOf({ ...stepContext, agentId }, context),
    memory,
    effects,
    signal,
    credentials: async (previousRejected, endpoint) =>
      keyless ? {} : page.credentials({ agentId, configId, endpoint, previousRejected }),
    fetch: modelFetch(page, model),
    isUsedId: (toolCallId) => conversation.hasCallId(toolCallId),
  }
}

/** Publishes a delta. A loss is also stored with the next answer. */
export function report({ losses, stream }: RunContext, delta: Delta): void {
  if (isLoss(delta)) losses.push({ code: delta.code, message: delta.message })
  stream.delta(delta)
}

function isLoss(delta: Delta): delta is Extract<Delta, { type: 'warning' }> {
  return delta.type === 'warning' && LOSSES.has(delta.code)
}

const LOSSES: ReadonlySet<string> = new Set([TOOLS_REFUSED, REQUEST_CHANGED, PROMPT_TRUNCATED])

const ESTIMATED = {
  code: 'usage-estimated',
  message:
    "The model's server didn't say how many tokens it used: the run's limits go by estimates.",
}

/** Hides inputs that may hold secrets while they stream: only a complete input shows which values are secret. */
function inputHider(context: RunContext): (delta: CallDelta) => boolean {
  const hidden = new Set<string>()
  return (delta) => {
    if (delta.type === 'tool-input-delta') return hidden.has(delta.toolCallId)
    if (delta.type !== 'tool-input-start') return false
    const { toolCallId, toolName } = delta
    const own = resolveName(toolName, context.tools)
    // Until the input is complete, the model's parameter names can't be distinguished from values.
    const isRenamed = context.tools.get(own)?.forModel?.parameters.length
    if (isRenamed || maySeal(context, own)) hidden.add(toolCallId)
    else hidden.delete(toolCallId)
    return false
  }
}

/** Adds the tool's own name and title, so that people see them even while a call streams. */
function named(delta: CallDelta, tools: ToolTable): CallDelta {
  if (delta.type !== 'tool-input-start') return delta
  const { name: toolName, title } = tools.get(resolveName(delta.toolName, tools)) ?? {
    name: delta.toolName,
  }
  return { ...delta, toolName, ...(title !== undefined && { title }) }
}
