import type { Delta } from '../../protocol/delta.ts'
import type { StepContext } from '../../protocol/page-calls.ts'
import {
  type CallDelta,
  callModel,
  type CutTurn,
  type ModelCall,
  type ModelOutcome,
} from '../model/call-model.ts'
import type { CountedRun } from './counters.ts'
import {
  isParallelSafe,
  resolveName,
  type ToolTable,
  type DrivenRun,
  type ModelsContext,
} from './run-context.ts'
import { providerOf } from '../model/engine-providers.ts'
import { buildRequest } from '../model/build-request.ts'
import { meterUsage, messageTokens } from '../model/token-counts.ts'
import { modelFetch } from '../model/page-fetch.ts'
import { REQUEST_CHANGED, TOOLS_REFUSED } from '../../providers/core/form-memory.ts'
import { readsTextCalls } from '../../providers/text-calls.ts'
import { mayHaveSecrets, type ModelOutput } from './hide-secrets.ts'
import type { CallDetails, FactOf, Identified } from '../../protocol/fact.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { formatObservation } from '../../action/format-observation.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { AssistantMessage, Loss, Message, ToolCallPart } from '../../protocol/message.ts'
import { toOwnNames } from '../model/model-names.ts'
import { loadActionPart, needActionPart } from '../parts.ts'
import type { ModelTurn } from '../model/turn-reader.ts'
import type { ModelRequest } from '../../providers/provider.ts'

/** Code of the warning about a server that silently cuts requests. */
export const PROMPT_TRUNCATED = 'prompt-truncated'

/** Fraction of a request's minimum tokens. If the server counted fewer, it can't have read the whole request. */
export const MIN_READ_SHARE = 0.7
/** Server counts up to this number prove nothing: the rest may have been in the server's cache. */
const MIN_COUNT = 1000

/**
 * Pieces of text that are at least one token each in all tokenizers. On average, a token has at most three Chinese or
 * Japanese characters.
 */
const WORDS = /[\u3040-\u9fff]{1,3}|[\p{L}\p{M}]{1,16}/gu

const minTokens = (text: string): number => text.match(WORDS)?.length ?? 0

/**
 * Counts signs that the server cut the request. Two signs are proof.
 *
 * Even a server that reports only uncached tokens counts all messages since the last answer. A lower count proves a
 * cut. A count well above these messages, but below the whole request, is one sign.
 */
export function truncationSigns(
  { instructions = '', trailer = '', messages }: ModelRequest,
  counted: number,
): { readonly signs: 0 | 1 | 2; readonly least: number } {
  const least = minTokens(`${instructions} ${trailer}`) + minTokensOf(messages)
  if (counted <= MIN_COUNT || counted >= MIN_READ_SHARE * least) return { signs: 0, least }
  const newMessages = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant'))
  if (counted < MIN_READ_SHARE * minTokensOf(newMessages)) return { signs: 2, least }
  const maxTokens = newMessages.reduce((sum, message) => sum + messageTokens(message), 0)
  return { signs: counted > 1.5 * maxTokens ? 1 : 0, least }
}

/** The minimum tokens of messages. Parts that some servers ignore, such as reasoning, count as zero. */
function minTokensOf(messages: readonly Message[]): number {
  return minTokens(messages.flatMap(({ parts }) => parts.map(textOf)).join(' '))
}

function textOf(part: Message['parts'][number]): string {
  if (part.type === 'text') return part.text
  const isData = part.type === 'tool-result' && /text|json/.test(part.output.type)
  return isData ? JSON.stringify(part.output) : ''
}

interface TurnOutput extends Omit<Extract<ModelOutcome, { type: 'turn' }>, 'type'> {
  readonly messageId: string
  readonly step: number
  readonly losses: readonly Loss[]
  readonly tools: ToolTable
  /** Whether untrusted content contains the same call, so that the model may only be quoting it. */
  readonly isQuoted: (call: { readonly toolName: string; readonly input: JsonValue }) => boolean
  /** Whether a native call has worked in this conversation. */
  readonly calledNatively: boolean
  readonly newId: (prefix: string) => string
}

/** The fact of a complete model turn: message, calls and usage at once. */
function modelOutput(output: TurnOutput): ModelOutput {
  const { form, losses, tools, toolMode, newId } = output
  const { parts, usage, finishReason, rawFinishReason, providerMetadata, actionText, feedback } =
    output.turn
  const ownParts = parts.map((part) => {
    if (part.type !== 'tool-call') return part
    const isNative = toolMode === 'native' && !part.rescued
    const toolName = isNative ? resolveName(part.toolName, tools) : part.toolName
    return toOwnNames({ ...part, toolName }, tools.get(toolName))
  })
  const message: Identified<AssistantMessage> = {
    role: 'assistant',
    id: output.messageId,
    parts: ownParts,
    ...(providerMetadata && { providerMetadata }),
    ...(actionText !== undefined && { actionText }),
    ...(losses.length > 0 && { losses }),
  }
  return {
    type: 'model-output',
    step: output.step,
    attempt: output.attempt,
    message,
    toolsId: ownParts.some((part) => part.type === 'tool-call') ? newId('msg_') : null,
    calls: ownParts.flatMap((part) =>
      part.type === 'tool-call' ? [callDetails(part, output)] : [],
    ),
    usage,
    finishReason,
    ...(rawFinishReason !== undefined && { rawFinishReason }),
    toolMode,
    ...(form && { form }),
    ...(feedback && {
      feedback: {
        id: newId('msg_'),
        error: feedback,
        text: formatObservation([{ error: feedback }]),
      },
    }),
  }
}

function callDetails(part: ToolCallPart, output: TurnOutput): CallDetails {
  const { toolMode } = output
  const tool = output.tools.get(part.toolName)
  return {
    toolCallId: part.toolCallId,
    known: tool !== undefined,
    // ACTION calls always run one after the other.
    parallel: toolMode === 'native' && tool !== undefined && isParallelSafe(tool),
    ...(tool?.title !== undefined && { title: tool.title }),
    ...(tool?.remote && { source: tool.remote.source }),
    ...(tool?.annotations.readOnly === true && { readOnly: true }),
    ...(tool?.control === 'finish-task' && { finishes: true }),
    ...(part.rescued && { rescued: true }),
    ...(tool !== undefined && mayBeQuoted(part, output) && { quoted: true }),
  }
}

/**
 * Whether a call in text may be a quotation from untrusted content (Q3). If the model has made native calls before, a
 * call in text may also be just an example (Q4).
 */
function mayBeQuoted(part: ToolCallPart, output: TurnOutput): boolean {
  const { toolMode, calledNatively, isQuoted } = output
  if (part.error || (toolMode === 'native' && !part.rescued)) return false
  const isNative = (other: ModelTurn['parts'][number]): boolean =>
    other.type === 'tool-call' && !other.rescued && !other.error
  if (part.rescued && (calledNatively || output.turn.parts.some(isNative))) return true
  return isQuoted({ toolName: part.toolName, input: part.input })
}

/** A step requested from the model. */
export interface RequestedStep {
  readonly step: number
  readonly messageId: string
  readonly stepContext: StepContext
}

type CutFact = Omit<FactOf<'step-cut'>, 'parentId'>

export type TurnOutcome = Extract<ModelOutcome, { readonly type: 'turn' }>

/** Returns the fact that stores what the model answered in a step. */
export function turnFact(
  { conversation: { promptTexts }, effects, losses, tools }: ModelsContext,
  requested: RequestedStep,
  outcome: TurnOutcome,
): ReturnType<typeof modelOutput> {
  return modelOutput({
    ...requested,
    ...outcome,
    newId: effects.newId,
    losses: losses.splice(0),
    tools,
    isQuoted: (call) => promptTexts.hasCall(call, requested.stepContext.tools),
    calledNatively: promptTexts.calledNatively,
  })
}

/** The fact of a step that was cut short because a person wrote a message. */
export function cutForMessage(
  requested: RequestedStep,
  outcome: CutTurn & { readonly attempt: number },
): FactDraft {
  const { attempt, usage } = outcome
  const cut = cutFact(requested, outcome) ?? {
    type: 'step-cut',
    step: requested.step,
    attempt,
    message: null,
    usage,
  }
  return { ...cut, continues: true }
}

/** The fact of a step that was cut short. Null if it has neither parts nor usage. */
export function cutFact(
  { step, messageId }: RequestedStep,
  { attempt, partial, usage }: CutTurn & { readonly attempt: number },
): CutFact | null {
  if (partial.length === 0 && Object.keys(usage).length === 0) return null
  const message = partial.length === 0 ? null : { id: messageId, parts: partial }
  return { type: 'step-cut', step, attempt, message, usage }
}

type AskOptions = Pick<ModelCall, 'confirm' | 'messageId' | 'firstAttempt' | 'stepContext'>

interface QuietAskOptions extends Pick<
  ModelCall,
  'attemptFailed' | 'confirm' | 'messageId' | 'request' | 'stepContext'
> {
  /** Default: the run's signal. */
  readonly signal?: AbortSignal
}

/** Loads the part of the worker that reads calls in text. While the file can't be loaded, the run is paused. */
export function actionPartLoader({
  conversation: { storageRetry },
  signal,
}: Pick<DrivenRun, 'conversation' | 'signal'>): () => Promise<unknown> | null {
  return () => {
    const { waiter } = storageRetry
    const stoppableWaiter = waiter && {
      ...waiter,
      signal: AbortSignal.any([waiter.signal, signal]),
    }
    const load = async (): Promise<void> => void (await needActionPart())
    return loadActionPart() && storageRetry.persist(load, { waiter: stoppableWaiter })
  }
}

/** Asks the model for the run's next step, configured by the page's `stepContext`. */
export async function askModel(
  context: ModelsContext,
  run: CountedRun,
  options: AskOptions,
): Promise<ModelOutcome> {
  const { conversation, memory, runId, tools } = context
  const { stepContext } = options
  const step = run.steps + 1
  const hidesDelta = inputHider(context)
  memory.forms.restore(conversation.forms.values())
  const request: ModelCall['request'] = (toolMode) => {
    if (readsTextCalls(stepContext.model, toolMode))
      conversation.promptTexts.readUnstored(stepContext)
    return buildRequest(conversation.state, run, { stepContext, toolMode })
  }
  const { drafts } = conversation
  // Drafts must not hold secrets. Secret values are known only once the answer is complete, so tools with secrets rule
  // out drafts.
  if (tools.toolsWithSecrets.length === 0) drafts.startStep()
  try {
    const outcome = callModel({
      ...connectionOptions(context, stepContext),
      ...options,
      step,
      request,
      loadActionPart: actionPartLoader(context),
      meter: meter(context, run, { stepContext, request }),
      emit: (callDelta, attempt) => {
        if (hidesDelta(callDelta)) return
        const delta = { ...withOwnName(callDelta, tools), runId, step, attempt }
        report(context, delta)
        drafts.scheduleWrite(delta)
      },
      attemptFailed: (failed) => conversation.append([{ type: 'attempt-failed', step, ...failed }]),
    })
    // Loads the part before it is needed: after the deployment of a new release, this release's files may be gone.
    const mayCallInText = readsTextCalls(stepContext.model, memory.toolMode(stepContext.model))
    // Needed for live context, too: until it is read, all its versions stay in memory.
    if (mayCallInText && (stepContext.tools.length > 0 || stepContext.context))
      loadActionPart()?.catch(() => {})
    return await outcome
  } finally {
    drafts.endStep()
  }
}

/**
 * Asks the model outside the run's steps. Publishes nothing but losses, and returns the outcome to the caller. Losses
 * are reported here, because later requests have them, too, but the server's refusal occurs only once.
 */
export function askQuietly(
  context: ModelsContext,
  run: CountedRun,
  options: QuietAskOptions,
): Promise<ModelOutcome> {
  const { runId } = context
  const step = run.steps + 1
  return callModel({
    ...connectionOptions(context, options.stepContext),
    ...options,
    step,
    meter: meter(context, run, options),
    emit: (callDelta, attempt) => {
      const delta = { ...callDelta, runId, step, attempt }
      if (isLoss(delta)) report(context, delta)
    },
  })
}

/** Returns a function that computes an attempt's usage for the run's limits. */
function meter(
  { conversation, runId, stream }: DrivenRun,
  run: CountedRun,
  { stepContext, request }: Pick<ModelCall, 'request' | 'stepContext'>,
): ModelCall['meter'] {
  return (result, attempt) => {
    const usage = meterUsage(result, {
      model: stepContext.model,
      limits: run.limits,
      request: () => request(result.toolMode),
    })
    if (usage.estimated && !conversation.run?.usage.estimated)
      stream.pushDelta({ type: 'warning', ...ESTIMATED, runId, step: run.steps + 1, attempt })
    return usage
  }
}

/** The options of a model call that are the same for every request: provider, credentials, `fetch` and so on. */
function connectionOptions(
  context: ModelsContext,
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
export function report({ losses, stream }: ModelsContext, delta: Delta): void {
  if (isLoss(delta)) losses.push({ code: delta.code, message: delta.message })
  stream.pushDelta(delta)
}

function isLoss(delta: Delta): delta is Extract<Delta, { type: 'warning' }> {
  return delta.type === 'warning' && LOSSES.has(delta.code)
}

const LOSSES: ReadonlySet<string> = new Set([TOOLS_REFUSED, REQUEST_CHANGED, PROMPT_TRUNCATED])

const ESTIMATED = {
  code: 'usage-estimated',
  message: "The model's server reported no token usage: the run's limits use estimates.",
}

/**
 * Returns whether to hide a streamed delta. Inputs that may hold secrets aren't streamed, because secret values are
 * known only once the input is complete.
 */
function inputHider(context: DrivenRun): (delta: CallDelta) => boolean {
  const visibleCalls = new Set<string>()
  return (delta) => {
    if (delta.type === 'tool-input-delta') return !visibleCalls.has(delta.toolCallId)
    if (delta.type !== 'tool-input-start') return false
    const { toolCallId, toolName } = delta
    const ownName = resolveName(toolName, context.tools)
    // Parameter names that were renamed for the model can't be told from values before the input is complete.
    const isRenamed = context.tools.get(ownName)?.forModel?.parameters.length
    if (isRenamed || mayHaveSecrets(context, ownName)) visibleCalls.delete(toolCallId)
    else visibleCalls.add(toolCallId)
    return false
  }
}

/** Adds the tool's own name and title, so that people see them even while a call streams. */
function withOwnName(delta: CallDelta, tools: ToolTable): CallDelta {
  if (delta.type !== 'tool-input-start') return delta
  const { name: toolName, title } = tools.get(resolveName(delta.toolName, tools)) ?? {
    name: delta.toolName,
  }
  return { ...delta, toolName, ...(title !== undefined && { title }) }
}
