import { unknownTool } from '../../action/call-arguments.ts'
import { sameJson } from '../../lib/same-json.ts'
import type { FactOf } from '../../protocol/fact.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { CallError, ToolOutput } from '../../protocol/message.ts'
import type { SkillText } from '../../protocol/questions.ts'
import type { CallState } from '../../protocol/state.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { decidedBy } from './decided-by.ts'
import { judgeApproval, tooOftenDenied, type Called } from './approval/judge-approval.ts'
import { warnOfSilence } from './approval/warn-of-silence.ts'
import { callContext, type RunContext, type ReadyCall } from './run-context.ts'
import { settle } from './settle.ts'
import type { Settlement } from './settlement.ts'
import { sealInput } from './seal-input.ts'
import { errorOutput, nestedTooDeep, NOT_KEPT, notForTools, unreadable } from './tool-errors.ts'
import { activation } from './skill-calls.ts'
import { forbidden } from './skill-rules.ts'
import { askQuestions, finished, planned } from './control-calls.ts'
import { type AskedQuestion, readQuestion, withSensitive } from './read-question.ts'
import { checkShown } from '../validation/check-input.ts'
import { availableTool, unavailable } from './wait-for-tool.ts'

/** Longest path of calls: a model's call with three levels of nested calls. */
const MAX_PATH = 4

type About = NonNullable<CallState['about']>

type Request = FactOf<'approval-requested'>

type Verdict =
  | { readonly type: 'settle'; readonly settlement: Settlement }
  | { readonly type: 'ask'; readonly request: Request }
  | { readonly type: 'question'; readonly asked: AskedQuestion }
  | ({ readonly type: 'ready' } & ReadyCall)

/**
 * Takes every proposed call of the step through `beforeToolCall`, validation and approval, in order. Then commits the
 * verdicts, and adds the calls that may run to `ready`. Runs no tool, so after a crash it can simply run again.
 */
export async function prepareCalls(
  context: RunContext,
  calls: readonly CallState[],
): Promise<void> {
  const settlements: Settlement[] = []
  const questions: AskedQuestion[] = []
  const asked: AskedCall[] = []
  for (const call of calls) {
    const activating = settlements.flatMap(({ skill }) => skill ?? [])
    const verdict = await judge(context, call, activating)
    if (context.signal.aborted) return
    switch (verdict.type) {
      case 'settle':
        settlements.push(verdict.settlement)
        break
      case 'ask':
        asked.push({ call, request: verdict.request })
        break
      case 'question':
        questions.push(verdict.asked)
        break
      case 'ready':
        context.ready.set(call.toolCallId, verdict)
        break
      default:
        verdict satisfies never
    }
  }
  await settle(context, settlements)
  await requestApprovals(context, asked)
  await askQuestions(context, questions)
}

interface AskedCall {
  readonly call: CallState
  readonly request: Request
}

async function requestApprovals(context: RunContext, asked: readonly AskedCall[]): Promise<void> {
  if (asked.length === 0) return
  for (const { call, request } of asked) if (request.because) warnOfSilence(context, call)
  const requests = asked.map(({ request }) => request)
  await context.conversation.append([...requests, ...outdatedConsents(context, asked)])
}

/**
 * Revokes consents to another definition of a tool that requests approval. Otherwise they would apply again as soon as
 * that definition comes back.
 */
function outdatedConsents({ conversation }: RunContext, asked: readonly AskedCall[]): FactDraft[] {
  return conversation.state.consents.flatMap(({ consentId, scope }) => {
    const isOutdated = asked.some(
      ({ call, request }) =>
        call.toolName === scope.toolName && request.by.definition !== scope.definition,
    )
    return isOutdated ? { type: 'consent-revoked', consentId } : []
  })
}

async function judge(
  context: RunContext,
  call: CallState,
  activating: readonly SkillText[],
): Promise<Verdict> {
  if (call.error !== null) {
    const error = unreadable({ ...call, error: call.error })
    if (error.code !== 'denied') return invalid(call, error)
    return denied(call, error.message)
  }
  const tool = call.known ? await availableTool(context, call) : undefined
  const refused = forbidden(context, call, activating)
  if (refused) return settled(refused)
  const isNested = call.path.length > 1
  if (!call.known || (isNested && tool === undefined))
    return invalid(call, unknownTool(call.toolName, context.tools.names).toError())
  if (tool === undefined) return settled(await unavailable(context, call))
  const problemOfNested = isNested ? nestedProblem(call, tool) : null
  if (problemOfNested) return invalid(call, problemOfNested)
  const verdict = context.tools.hasBeforeToolCall
    ? await context.page.beforeToolCall(callContext(context, call, call.input))
    : ({ type: 'go', input: call.input } as const)
  if (verdict.type === 'veto') return denied(call, verdict.reason)
  const input = await storedInput(context, call, { tool, input: verdict.input })
  const whole = context.conversation.sealed.open(call.toolCallId, input)
  if (whole === null) return settled({ call, status: 'failed', output: NOT_KEPT })
  const problem = checkShown(context.validator, tool, { input: whole, shown: input })
  if (problem) return invalid(call, problem)
  if (tool.control === 'activate-skill') {
    const asked = { call, input }
    return settled(await activation(context, asked, activating))
  }
  const asked = tool.control === 'ask-user' ? readQuestion(call, input) : null
  if (asked && 'code' in asked) return invalid(call, asked)
  const controlled = context.conversation.run?.limits.maxSteps === 0 ? undefined : tool.control
  if (controlled === 'ask-user' && asked)
    return { type: 'question', asked: await withSensitive(context, asked) }
  if (controlled === 'finish-task') {
    return settled(finished(call, input))
  }
  if (controlled === 'plan') return settled(planned(call, input))
  return judgeReady(context, call, { tool, input })
}

/** Decides whether a call that could run needs a person's approval. */
async function judgeReady(
  context: RunContext,
  call: CallState,
  { tool, input }: Called,
): Promise<Verdict> {
  const judged = await judgeApproval(context, call, { tool, input })
  const { verdict: approval, because, asks } = judged
  const ready = { toolName: call.toolName, input, by: decidedBy(tool), asks }
  if (approval.type === 'denied') return settled(approval.settlement)
  if (approval.type === 'unasked') {
    const { consentId } = approval
    return { ...ready, type: 'ready', ...(consentId !== undefined && { consentId }) }
  }
  const described = tool.describes ? await describe(context, call, input) : null
  if (described && 'failed' in described)
    return settled({ call, status: 'failed', output: described.failed })
  const { rememberable } = approval
  const request = {
    type: 'approval-requested',
    path: call.path,
    input,
    by: ready.by,
    ...described,
    ...(because && { because }),
    ...(rememberable && { rememberable }),
  } as const
  const refused = tooOftenDenied(context, call, request)
  return refused ? settled(refused) : { type: 'ask', request }
}

/** Replaces secrets again if a hook changed the input, which may hold other secrets now. */
async function storedInput(
  context: RunContext,
  call: CallState,
  made: { readonly tool: ToolDescriptor; readonly input: JsonValue },
): Promise<JsonValue> {
  return sameJson(made.input, call.input) ? call.input : sealInput(context, call, made)
}

/** Asks the page to describe the call for its approval. Another page must request the approval again. */
async function describe(
  context: RunContext,
  call: CallState,
  input: JsonValue,
): Promise<{ readonly about?: About } | { readonly failed: ToolOutput }> {
  const previous = call.about?.data
  const description = await context.page.describeCall({
    ...callContext(context, call, input),
    ...(previous !== undefined && { previous }),
  })
  switch (description.type) {
    case 'described':
      return { about: { ...description.about, pageId: context.pageId } }
    case 'nothing':
      return {}
    case 'failed':
      return { failed: description.output }
    default:
      return description satisfies never
  }
}

/** Why a tool may not make this call: it is nested too deeply, or only the model may call it. Null: it may. */
function nestedProblem(
  { path, toolName }: CallState,
  { control }: ToolDescriptor,
): CallError | null {
  if (path.length > MAX_PATH) return nestedTooDeep(toolName)
  return control === 'finish-task' || control === 'activate-skill' ? notForTools(toolName) : null
}

function denied(call: CallState, reason: string): Verdict {
  return settled({ call, status: 'denied', output: { type: 'denied', reason } })
}

function invalid(call: CallState, error: CallError): Verdict {
  return settled({ call, status: 'invalid', output: errorOutput(error) })
}

function settled(settlement: Settlement): Verdict {
  return { type: 'settle', settlement }
}
