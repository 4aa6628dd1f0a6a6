import { unknownTool } from '../../action/call-arguments.ts'
import { sameJson } from '../../lib/json/same-json.ts'
import type { FactOf, PlanItem } from '../../protocol/fact.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { CallError, ToolOutput } from '../../protocol/message.ts'
import type { SkillText } from '../../protocol/page-calls.ts'
import type { CallState } from '../../protocol/state.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { decidedBy } from './execute-calls.ts'
import {
  type Called,
  judgeApproval,
  tooOftenDenied,
  warnNoAnnotations,
} from './approval/judge-approval.ts'
import { callContext, type ReadyCall, type CallsContext, type DrivenRun } from './run-context.ts'
import {
  errorOutput,
  nestedTooDeep,
  SECRET_LOST,
  notForTools,
  openCall,
  settleCalls,
  type Settlement,
  unreadable,
} from './settle.ts'
import { hideInputSecrets } from './hide-secrets.ts'
import { activateSkill, skillRefusal } from './skill-calls.ts'
import { checkShown } from '../validation/check-input.ts'
import { availableTool, unavailable } from './recover-call.ts'
import { readFields } from '../../protocol/fields.ts'

type AskedQuestion = FactOf<'question-asked'>

const MAX = { question: 10_000, options: 100, option: 1000, problems: 5 } as const

/**
 * Reads the question of an `ask_user` call. `input` was checked against the tool's schema: `{ question, options?,
 * fields? }`. Returns an error for the model if the question is too long, or its options or fields are invalid.
 */
function readQuestion({ path, toolName }: CallState, input: JsonValue): AskedQuestion | CallError {
  const { question, options, fields } = input as unknown as Input
  const fact = { type: 'question-asked', path, question } as const
  const problems = problemsOf(question, options)
  // Some models fill in every parameter. An empty `fields` means no fields.
  const isForm = fields !== undefined && !isEmpty(fields) && !isEmpty(fields['properties'])
  if (isForm && options?.length)
    problems.push('give options or fields, not both: a choice is a field with enum')
  const reading = isForm ? readFields(fields) : null
  if (reading && 'problems' in reading)
    problems.push(...reading.problems.map((problem) => `fields: ${problem}`))
  if (problems.length > 0) {
    const summary = problems.slice(0, MAX.problems).join('; ')
    return { code: 'invalid_params', message: `Invalid parameters for ${toolName}: ${summary}.` }
  }
  if (!reading || 'problems' in reading) return { ...fact, ...(options && { options }) }
  return { ...fact, ...reading }
}

/** Adds the names of fields that seem to ask for a secret. If the page can't tell, adds the names of all fields. */
async function withSensitive(
  { page, agentId }: Pick<DrivenRun, 'page' | 'agentId'>,
  question: AskedQuestion,
): Promise<AskedQuestion> {
  const { fields } = question
  if (!fields) return question
  const sensitive = await page
    .sensitiveFields({ agentId, fields })
    .catch(() => Object.keys(fields.properties))
  return { ...question, ...(sensitive.length > 0 && { sensitive }) }
}

interface Input {
  readonly question: string
  readonly options?: readonly string[]
  readonly fields?: JsonObject
}

function problemsOf(question: string, options: readonly string[] = []): string[] {
  const problems: string[] = []
  if (question.length > MAX.question)
    problems.push(`question has more than ${MAX.question} characters`)
  if (options.length > MAX.options) problems.push(`options are more than ${MAX.options}`)
  else if (options.some((option) => option.length > MAX.option))
    problems.push(`an option has more than ${MAX.option} characters`)
  return problems
}

function isEmpty(value: JsonValue | undefined): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** `input` was checked against the tool's schema: `{ result }`. */
function finishTaskSettlement(call: CallState, input: JsonValue): Settlement {
  const { result } = input as { result: string }
  return { call, status: 'succeeded', output: { type: 'text', value: result } }
}

/** `input` was checked against the tool's schema: `{ items: [{ content, status }] }`. The result repeats the items. */
function planSettlement(call: CallState, input: JsonValue): Settlement {
  const { items } = input as unknown as { readonly items: readonly PlanItem[] }
  const plan = items.map(({ content, status }) => ({ content, status }))
  return { call, status: 'succeeded', output: { type: 'json', value: plan }, plan }
}

/** Longest path of calls: a model's call with three levels of nested calls. */
const MAX_PATH = 4

type About = NonNullable<CallState['about']>

type Request = FactOf<'approval-requested'> | AskedQuestion

type Verdict =
  | { readonly type: 'settle'; readonly settlement: Settlement }
  | { readonly type: 'ask'; readonly request: Request }
  | ({ readonly type: 'ready' } & ReadyCall)

/**
 * Judges the step's proposed calls one after the other, by `beforeToolCall`, validation and approval. Then commits the
 * verdicts, and adds the calls that may run to `ready`. Runs no tool, so it can be repeated after a crash.
 */
export async function prepareCalls(
  context: CallsContext,
  calls: readonly CallState[],
): Promise<void> {
  const settlements: Settlement[] = []
  const questions: RequestedCall[] = []
  const approvals: RequestedCall[] = []
  for (const call of calls) {
    const activating = settlements.flatMap(({ skill }) => skill ?? [])
    const verdict = await judgeCall(context, call, activating)
    if (context.signal.aborted) return
    switch (verdict.type) {
      case 'settle':
        settlements.push(verdict.settlement)
        break
      case 'ask':
        ;('by' in verdict.request ? approvals : questions).push({ call, request: verdict.request })
        break
      case 'ready':
        context.ready.set(call.toolCallId, verdict)
        break
      default:
        verdict satisfies never
    }
  }
  await settleCalls(context, settlements)
  await askPerson(context, [...approvals, ...questions])
}

interface RequestedCall {
  readonly call: CallState
  readonly request: Request
}

/** Stores approval requests and questions. Their calls then wait for a person's answer. */
async function askPerson(
  context: CallsContext,
  requested: readonly RequestedCall[],
): Promise<void> {
  if (requested.length === 0) return
  for (const { call, request } of requested)
    if ('because' in request) warnNoAnnotations(context, call)
  await context.conversation.append((run) => {
    const open = requested.filter(({ call }) => openCall(run, call))
    if (open.length === 0) return null
    return [...open.map(({ request }) => request), ...outdatedConsents(context, open)]
  })
}

/**
 * If a tool requests approval, revokes consents to its other definitions. They would otherwise apply again when such a
 * definition is registered again.
 */
function outdatedConsents(
  { conversation }: DrivenRun,
  requested: readonly RequestedCall[],
): FactDraft[] {
  return conversation.state.consents.flatMap(({ consentId, scope }) => {
    const isOutdated = requested.some(
      ({ call, request }) =>
        call.toolName === scope.toolName &&
        'by' in request &&
        request.by.definition !== scope.definition,
    )
    return isOutdated ? { type: 'consent-revoked', consentId } : []
  })
}

async function judgeCall(
  context: CallsContext,
  call: CallState,
  activating: readonly SkillText[],
): Promise<Verdict> {
  if (call.error !== null) {
    const error = unreadable({ ...call, error: call.error })
    if (error.code !== 'denied') return invalidVerdict(call, error)
    return deniedVerdict(call, error.message)
  }
  const tool = call.known ? await availableTool(context, call) : undefined
  const refusal = skillRefusal(context, call, activating)
  if (refusal) return settledVerdict(refusal)
  const isNested = call.path.length > 1
  if (!call.known || (isNested && tool === undefined))
    return invalidVerdict(call, unknownTool(call.toolName, context.tools.names).toError())
  // The call's card names the tool's source, so a tool of the same name from another source must not run.
  if (tool === undefined || tool.remote?.source !== call.source)
    return settledVerdict(await unavailable(context, call))
  const problemOfNested = isNested ? nestedProblem(call, tool) : null
  if (problemOfNested) return invalidVerdict(call, problemOfNested)
  const verdict = context.tools.hasBeforeToolCall
    ? await context.page.beforeToolCall(callContext(context, call, call.input))
    : ({ type: 'go', input: call.input } as const)
  if (verdict.type === 'veto') return deniedVerdict(call, verdict.reason)
  const input = await storedInput(context, call, { tool, input: verdict.input })
  const inputWithSecrets = context.conversation.secrets.restore(call.toolCallId, input)
  if (inputWithSecrets === null)
    return settledVerdict({ call, status: 'failed', output: SECRET_LOST })
  const problem = checkShown(context.validator, tool, { input: inputWithSecrets, shown: input })
  if (problem) return invalidVerdict(call, problem)
  if (tool.control === 'activate-skill') {
    const request = { call, input }
    return settledVerdict(await activateSkill(context, request, activating))
  }
  const question = tool.control === 'ask-user' ? readQuestion(call, input) : null
  if (question && 'code' in question) return invalidVerdict(call, question)
  const control = context.conversation.run?.limits.maxSteps === 0 ? undefined : tool.control
  if (control === 'ask-user' && question)
    return { type: 'ask', request: await withSensitive(context, question) }
  if (control === 'finish-task') {
    return settledVerdict(finishTaskSettlement(call, input))
  }
  if (control === 'plan') return settledVerdict(planSettlement(call, input))
  return judgeReady(context, call, { tool, input })
}

/** Decides whether a call that could run needs a person's approval. */
async function judgeReady(
  context: CallsContext,
  call: CallState,
  { tool, input }: Called,
): Promise<Verdict> {
  const judgement = await judgeApproval(context, call, { tool, input })
  const { verdict: approval, because, asks: requiresApproval } = judgement
  const ready = { toolName: call.toolName, input, by: decidedBy(tool), requiresApproval }
  if (approval.type === 'denied') return settledVerdict(approval.settlement)
  if (approval.type === 'unasked') {
    const { consentId } = approval
    return { ...ready, type: 'ready', ...(consentId !== undefined && { consentId }) }
  }
  const described = tool.hasDescribe ? await describe(context, call, input) : null
  if (described && 'failed' in described) {
    const { untrusted } = tool
    const source = untrusted !== undefined && { untrusted }
    return settledVerdict({ call, status: 'failed', output: described.failed, ...source })
  }
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
  const refusal = tooOftenDenied(context, call, request)
  return refusal ? settledVerdict(refusal) : { type: 'ask', request }
}

/** If a hook changed the input, replaces secrets again: the new input may contain others. */
async function storedInput(
  context: CallsContext,
  call: CallState,
  prepared: { readonly tool: ToolDescriptor; readonly input: JsonValue },
): Promise<JsonValue> {
  return sameJson(prepared.input, call.input)
    ? call.input
    : hideInputSecrets(context, call, prepared)
}

/**
 * Asks the page to describe the call for its approval. Stores the page's id, because on another page the approval must
 * be requested again.
 */
async function describe(
  context: CallsContext,
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

/**
 * Why a composite tool may not make this call: the call is nested too deeply, or only the model may make it. Null if it
 * may.
 */
function nestedProblem(
  { path, toolName }: CallState,
  { control }: ToolDescriptor,
): CallError | null {
  if (path.length > MAX_PATH) return nestedTooDeep(toolName)
  return control === 'finish-task' || control === 'activate-skill' ? notForTools(toolName) : null
}

function deniedVerdict(call: CallState, reason: string): Verdict {
  return settledVerdict({ call, status: 'denied', output: { type: 'denied', reason } })
}

function invalidVerdict(call: CallState, error: CallError): Verdict {
  return settledVerdict({ call, status: 'invalid', output: errorOutput(error) })
}

function settledVerdict(settlement: Settlement): Verdict {
  return { type: 'settle', settlement }
}
