import type { JsonValue } from '../../protocol/json.ts'
import type { CallState } from '../../protocol/state.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import { approvalOf, mayMislead } from './approval-rules.ts'
import { decidedBy } from './decided-by.ts'
import { callContext, type RunContext, type ReadyCall } from './run-context.ts'
import { settle, type Settlement } from './settle.ts'
import { errorOutput, unknownTool, unreadable } from './tool-errors.ts'
import { askQuestions, finished, planned } from './control-calls.ts'
import { type AskedQuestion, readQuestion } from './read-question.ts'
import { checkInput } from '../validation/check-input.ts'
import { availableTool, unavailable } from './wait-for-tool.ts'

type Verdict =
  | { readonly type: 'settle'; readonly settlement: Settlement }
  | ({ readonly type: 'ask' } & ReadyCall)
  | { readonly type: 'question'; readonly asked: AskedQuestion }
  | ({ readonly type: 'ready' } & ReadyCall)

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
    const verdict = await judge(context, call)
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

interface AskedCall extends ReadyCall {
  readonly call: CallState
}

async function requestApprovals(context: RunContext, asked: readonly AskedCall[]): Promise<void> {
  if (asked.length === 0) return
  await context.conversation.append(
    asked.map(({ call: { path }, input, by }) => ({
      type: 'approval-requested',
      path,
      input,
      by,
    })),
  )
}

async function judge(context: RunContext, call: CallState): Promise<Verdict> {
  if (call.error !== null) {
    return invalid(call, errorOutput(unreadable({ ...call, error: call.error })))
  }
  if (!call.known)
    return invalid(call, errorOutput(unknownTool(call.toolName, context.tools.names)))
  const tool = await availableTool(context, call)
  if (tool === undefined) return { type: 'settle', settlement: await unavailable(context, call) }
  const verdict = context.tools.hasBeforeToolCall
    ? await context.page.beforeToolCall(callContext(context, call, call.input))
    : ({ type: 'go', input: call.input } as const)
  if (verdict.type === 'veto') {
    const output = { type: 'denied', reason: verdict.reason } as const
    return { type: 'settle', settlement: { call, status: 'denied', output } }
  }
  const problem = checkInput(context.validator, tool, verdict.input)
  if (problem) return invalid(call, errorOutput(problem))
  const asked = tool.control === 'ask-user' ? readQuestion(call, verdict.input) : null
  if (asked && 'code' in asked) return invalid(call, errorOutput(asked))
  const controlled = context.conversation.run?.limits.maxSteps === 0 ? undefined : tool.control
  if (controlled === 'ask-user' && asked) return { type: 'question', asked }
  if (controlled === 'finish-task') {
    return { type: 'settle', settlement: finished(call, verdict.input) }
  }
  if (controlled === 'plan') return { type: 'settle', settlement: planned(call, verdict.input) }
  const { input } = verdict
  const type = (await mustAsk(context, call, { tool, input })) ? 'ask' : 'ready'
  const { toolName } = call
  return { type, toolName, input, by: decidedBy(tool), misleads: mayMislead(call, tool) }
}

async function mustAsk(
  context: RunContext,
  call: CallState,
  { tool, input }: { readonly tool: ToolDescriptor; readonly input: JsonValue },
): Promise<boolean> {
  // In one-shot mode the page runs the call itself, and asks whom it likes.
  if (context.conversation.run?.limits.maxSteps === 0) return false
  const approval = approvalOf(call, tool)
  if (approval !== 'page') return approval
  return context.page.needsApproval(callContext(context, call, input))
}

function invalid(call: CallState, output: Settlement['output']): Verdict {
  return { type: 'settle', settlement: { call, status: 'invalid', output } }
}
