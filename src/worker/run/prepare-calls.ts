import { sameJson } from '../../lib/same-json.ts'
import type { Rememberable } from '../../protocol/fact.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { CallError, ToolOutput } from '../../protocol/message.ts'
import type { SkillText } from '../../protocol/questions.ts'
import type { CallState } from '../../protocol/state.ts'
import type { AskedBecause } from '../../protocol/taint.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { mayMislead } from './approval/is-asked.ts'
import { decidedBy } from './decided-by.ts'
import { judgeApproval } from './approval/judge-approval.ts'
import { warnOfSilence } from './approval/warn-of-silence.ts'
import { whyAsked } from './approval/why-asked.ts'
import { callContext, type RunContext, type ReadyCall } from './run-context.ts'
import { settle } from './settle.ts'
import { approvalContextOf } from './approval/approval-context.ts'
import type { Settlement } from './settlement.ts'
import { sealInput } from './seal-input.ts'
import {
  errorOutput,
  nestedTooDeep,
  NOT_KEPT,
  notForTools,
  unknownTool,
  unreadable,
} from './tool-errors.ts'
import { activation } from './skill-calls.ts'
import { forbidden } from './skill-rules.ts'
import { askQuestions, finished, planned } from './control-calls.ts'
import { type AskedQuestion, readQuestion, withSensitive } from './read-question.ts'
import { checkShown } from '../validation/check-input.ts'
import { availableTool, unavailable } from './wait-for-tool.ts'

/** A model's call, and calls nested in each other up to three deep within it. */
const MAX_PATH = 4

type About = NonNullable<CallState['about']>

/** What a person is asked about, and what they may answer beyond the call. */
interface Asked {
  readonly about?: About
  readonly because?: AskedBecause
  readonly rememberable?: Rememberable
}

type Verdict =
  | { readonly type: 'settle'; readonly settlement: Settlement }
  | ({ readonly type: 'ask' } & Asked & ReadyCall)
  | { readonly type: 'question'; readonly asked: AskedQuestion }
  | ({ readonly type: 'ready' } & ReadyCall)
  | { readonly type: 'held'; readonly by: string }

/** What calls before this one come to, and isn't stored yet. */
interface Before {
  readonly activating: readonly SkillText[]
  readonly asked: readonly AskedCall[]
}

/**
 * Takes every proposed call of the step through `beforeToolCall`, validation and the question of
 * approval, in order. What they come to is committed together; those that may run are added to `ready`.
 * Nothing runs here, so after a crash it is simply done again.
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
    const verdict = await judge(context, call, { activating, asked })
    if (context.signal.aborted) return
    switch (verdict.type) {
      case 'settle':
        settlements.push(verdict.settlement)
        break
      case 'ask':
        asked.push({ call, ...verdict })
        break
      case 'question':
        questions.push(verdict.asked)
        break
      case 'held':
        context.held.set(call.toolCallId, verdict.by)
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

interface AskedCall extends ReadyCall, Asked {
  readonly call: CallState
}

async function requestApprovals(context: RunContext, asked: readonly AskedCall[]): Promise<void> {
  if (asked.length === 0) return
  for (const { call, because } of asked) if (because) warnOfSilence(context, call)
  const requests = asked.map(
    ({ call: { path }, input, by, about, because, rememberable }) =>
      ({
        type: 'approval-requested',
        path,
        input,
        by,
        ...(about && { about }),
        ...(because && { because }),
        ...(rememberable && { rememberable }),
      }) as const,
  )
  await context.conversation.append([...requests, ...outdatedConsents(context, asked)])
}

/** A consent to a tool that is another one now ends with the next question: it would come back with the old tool. */
function outdatedConsents({ conversation }: RunContext, asked: readonly AskedCall[]): FactDraft[] {
  return conversation.state.consents.flatMap(({ consentId, scope }) => {
    const isOutdated = asked.some(
      ({ call, by }) => call.toolName === scope.toolName && by.definition !== scope.definition,
    )
    return isOutdated ? { type: 'consent-revoked', consentId } : []
  })
}

async function judge(
  context: RunContext,
  call: CallState,
  { activating, asked: askedBefore }: Before,
): Promise<Verdict> {
  if (call.error !== null) {
    return invalid(call, errorOutput(unreadable({ ...call, error: call.error })))
  }
  const tool = call.known ? await availableTool(context, call) : undefined
  const refused = forbidden(context, call, activating)
  if (refused) return { type: 'settle', settlement: refused }
  if (!call.known)
    return invalid(call, errorOutput(unknownTool(call.toolName, context.tools.names)))
  const isNested = call.path.length > 1
  if (tool === undefined) {
    if (isNested) return invalid(call, errorOutput(unknownTool(call.toolName, context.tools.names)))
    return { type: 'settle', settlement: await unavailable(context, call) }
  }
  const problemOfNested = isNested ? nestedProblem(call, tool) : null
  if (problemOfNested) return invalid(call, errorOutput(problemOfNested))
  const verdict = context.tools.hasBeforeToolCall
    ? await context.page.beforeToolCall(callContext(context, call, call.input))
    : ({ type: 'go', input: call.input } as const)
  if (verdict.type === 'veto') {
    const output = { type: 'denied', reason: verdict.reason } as const
    return { type: 'settle', settlement: { call, status: 'denied', output } }
  }
  const input = await storedInput(context, call, { tool, input: verdict.input })
  const whole = context.conversation.sealed.open(call.toolCallId, input)
  if (whole === null)
    return { type: 'settle', settlement: { call, status: 'failed', output: NOT_KEPT } }
  const problem = checkShown(context.validator, tool, { input: whole, shown: input })
  if (problem) return invalid(call, errorOutput(problem))
  if (tool.control === 'activate-skill') {
    const asked = { call, input }
    return { type: 'settle', settlement: await activation(context, asked, activating) }
  }
  const asked = tool.control === 'ask-user' ? readQuestion(call, input) : null
  if (asked && 'code' in asked) return invalid(call, errorOutput(asked))
  const controlled = context.conversation.run?.limits.maxSteps === 0 ? undefined : tool.control
  if (controlled === 'ask-user' && asked)
    return { type: 'question', asked: await withSensitive(context, asked) }
  if (controlled === 'finish-task') {
    return { type: 'settle', settlement: finished(call, input) }
  }
  if (controlled === 'plan') return { type: 'settle', settlement: planned(call, input) }
  return judgeReady(context, call, { tool, input, asked: askedBefore })
}

interface Ready extends Pick<Before, 'asked'> {
  readonly tool: ToolDescriptor
  readonly input: JsonValue
}

/** Of a call that could run: whether a person is asked first. */
async function judgeReady(
  context: RunContext,
  call: CallState,
  { tool, input, asked }: Ready,
): Promise<Verdict> {
  const { toolName } = call
  const about = approvalContextOf(context.conversation.state, call, tool)
  const because = await whyAsked(context, call, { tool, input, about })
  const isUnclear = context.conversation.sealed.isUnclear(call.toolCallId)
  const asks = because !== null || isUnclear || mayMislead(call, tool, about)
  const ready = { toolName, input, by: decidedBy(tool), asks }
  const judged = { tool, input, about, because, asked }
  const approval = await judgeApproval(context, call, judged)
  if (approval.type === 'denied') return { type: 'settle', settlement: approval.settlement }
  if (approval.type === 'held') return approval
  if (approval.type === 'unasked') {
    const { consentId } = approval
    return { ...ready, type: 'ready', ...(consentId !== undefined && { consentId }) }
  }
  const described = tool.describes ? await describe(context, call, input) : null
  if (described && 'failed' in described)
    return { type: 'settle', settlement: { call, status: 'failed', output: described.failed } }
  const { rememberable } = approval
  return {
    ...ready,
    type: 'ask',
    ...described,
    ...(because && { because }),
    ...(rememberable && { rememberable }),
  }
}

/** What a hook made of the input may have other secrets than the model's. */
async function storedInput(
  context: RunContext,
  call: CallState,
  made: { readonly tool: ToolDescriptor; readonly input: JsonValue },
): Promise<JsonValue> {
  return sameJson(made.input, call.input) ? call.input : sealInput(context, call, made)
}

/** What the person is asked about. It holds for this page: what the next one shows is asked about anew. */
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

/** What steers the run or the model is the model's alone. */
function nestedProblem(
  { path, toolName }: CallState,
  { control }: ToolDescriptor,
): CallError | null {
  if (path.length > MAX_PATH) return nestedTooDeep(toolName)
  return control === 'finish-task' || control === 'activate-skill' ? notForTools(toolName) : null
}

function invalid(call: CallState, output: Settlement['output']): Verdict {
  return { type: 'settle', settlement: { call, status: 'invalid', output } }
}
