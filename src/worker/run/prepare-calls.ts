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
  NOT_KEPT,
  notForTools,
  openCall,
  settleCalls,
  type Settlement,
  unreadable,
} from './settle.ts'
import { hideInputSecrets } from './hide-secrets.ts'
import { activation, skillRefusal } from './skill-calls.ts'
import { checkShown } from '../validation/check-input.ts'
import { availableTool, unavailable } from './recover-call.ts'
import { readFields } from '../../protocol/fields.ts'

type AskedQuestion = FactOf<'question-asked'>

const MAX = { question: 10_000, options: 100, option: 1000, problems: 5 } as const

/**
 * Reads the question of an `ask_user` call. `input` was checked against the tool's schema: `{ question, options?,
 * fields? }`. Returns an error, written for the model, if the page can't be expected to show the question.
 */
function readQuestion({ path, toolName }: CallState, input: JsonValue): AskedQuestion | CallError {
  const { question, options, fields } = input as unknown as Input
  const asked = { type: 'question-asked', path, question } as const
  const problems = problemsOf(question, options)
  // Some models fill in every parameter. An empty `fields` means no fields.
  const isForm = fields !== undefined && !isEmpty(fields) && !isEmpty(fields['properties'])
  if (isForm && options?.length)
    problems.push('give options or fields, not both: a choice is a field with enum')
  const reading = isForm ? readFields(fields) : null
  if (reading && 'problems' in reading)
    problems.push(...reading.problems.map((words) => `fields: ${words}`))
  if (problems.length > 0) {
    const words = problems.slice(0, MAX.problems).join('; ')
    return { code: 'invalid_params', message: `Invalid parameters for ${toolName}: ${words}.` }
  }
  if (!reading || 'problems' in reading) return { ...asked, ...(options && { options }) }
  return { ...asked, ...reading }
}

/** Adds the names of fields that seem to ask for a secret. If the page can't tell, adds the names of all fields. */
async function withSensitive(
  { page, agentId }: Pick<DrivenRun, 'page' | 'agentId'>,
  asked: AskedQuestion,
): Promise<AskedQuestion> {
  const { fields } = asked
  if (!fields) return asked
  const sensitive = await page
    .sensitiveFields({ agentId, fields })
    .catch(() => Object.keys(fields.properties))
  return { ...asked, ...(sensitive.length > 0 && { sensitive }) }
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
function finished(call: CallState, input: JsonValue): Settlement {
  const { result } = input as { result: string }
  return { call, status: 'succeeded', output: { type: 'text', value: result } }
}

/** `input` was checked against the tool's schema: `{ items: [{ content, status }] }`. The result repeats the items. */
function planned(call: CallState, input: JsonValue): Settlement {
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
 * Takes every proposed call of the step through `beforeToolCall`, validation and approval, in order. Then commits the
 * verdicts, and adds the calls that may run to `ready`. Runs no tool, so after a crash it can simply run again.
 */
export async function prepareCalls(
  context: CallsContext,
  calls: readonly CallState[],
): Promise<void> {
  const settlements: Settlement[] = []
  const questions: AskedCall[] = []
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
        ;('by' in verdict.request ? asked : questions).push({ call, request: verdict.request })
        break
      case 'ready':
        context.ready.set(call.toolCallId, verdict)
        break
      default:
        verdict satisfies never
    }
  }
  await settleCalls(context, settlements)
  await askPerson(context, [...asked, ...questions])
}

interface AskedCall {
  readonly call: CallState
  readonly request: Request
}

/** Stores requests for approval and questions. Their calls then wait for a person's answer. */
async function askPerson(context: CallsContext, asked: readonly AskedCall[]): Promise<void> {
  if (asked.length === 0) return
  for (const { call, request } of asked) if ('because' in request) warnNoAnnotations(context, call)
  await context.conversation.append((run) => {
    const open = asked.filter(({ call }) => openCall(run, call))
    if (open.length === 0) return null
    return [...open.map(({ request }) => request), ...outdatedConsents(context, open)]
  })
}

/**
 * Revokes consents to another definition of a tool that requests approval. Otherwise they would apply again as soon as
 * that definition comes back.
 */
function outdatedConsents({ conversation }: DrivenRun, asked: readonly AskedCall[]): FactDraft[] {
  return conversation.state.consents.flatMap(({ consentId, scope }) => {
    const isOutdated = asked.some(
      ({ call, request }) =>
        call.toolName === scope.toolName &&
        'by' in request &&
        request.by.definition !== scope.definition,
    )
    return isOutdated ? { type: 'consent-revoked', consentId } : []
  })
}

async function judge(
  context: CallsContext,
  call: CallState,
  activating: readonly SkillText[],
): Promise<Verdict> {
  if (call.error !== null) {
    const error = unreadable({ ...call, error: call.error })
    if (error.code !== 'denied') return invalid(call, error)
    return denied(call, error.message)
  }
  const tool = call.known ? await availableTool(context, call) : undefined
  const refused = skillRefusal(context, call, activating)
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
  const whole = context.conversation.secrets.restore(call.toolCallId, input)
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
    return { type: 'ask', request: await withSensitive(context, asked) }
  if (controlled === 'finish-task') {
    return settled(finished(call, input))
  }
  if (controlled === 'plan') return settled(planned(call, input))
  return judgeReady(context, call, { tool, input })
}

/** Decides whether a call that could run needs a person's approval. */
async function judgeReady(
  context: CallsContext,
  call: CallState,
  { tool, input }: Called,
): Promise<Verdict> {
  const judged = await judgeApproval(context, call, { tool, input })
  const { verdict: approval, because, asks: requiresApproval } = judged
  const ready = { toolName: call.toolName, input, by: decidedBy(tool), requiresApproval }
  if (approval.type === 'denied') return settled(approval.settlement)
  if (approval.type === 'unasked') {
    const { consentId } = approval
    return { ...ready, type: 'ready', ...(consentId !== undefined && { consentId }) }
  }
  const described = tool.hasDescribe ? await describe(context, call, input) : null
  if (described && 'failed' in described) {
    const { untrusted } = tool
    const mark = untrusted !== undefined && { untrusted }
    return settled({ call, status: 'failed', output: described.failed, ...mark })
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
  const refused = tooOftenDenied(context, call, request)
  return refused ? settled(refused) : { type: 'ask', request }
}

/** Replaces secrets again if a hook changed the input, which may hold other secrets now. */
async function storedInput(
  context: CallsContext,
  call: CallState,
  made: { readonly tool: ToolDescriptor; readonly input: JsonValue },
): Promise<JsonValue> {
  return sameJson(made.input, call.input) ? call.input : hideInputSecrets(context, call, made)
}

/** Asks the page to describe the call for its approval. Another page must request the approval again. */
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
 * Why a tool isn't allowed to make this call: it is nested too deeply, or only the model may make it. Null: it is
 * allowed.
 */
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
