import type { CallState } from '../../../protocol/state.ts'
import type { RunContext } from '../run-context.ts'
import type { Start } from '../starts.ts'

/** Identifies an approval: the run and call, the request, the approved tool and input, and the execution before. */
function approvalOf({ runId }: RunContext, call: CallState): readonly unknown[] {
  const { toolCallId, toolName, decidedBy, askedAt, about, resolvedAs, input, executionId } = call
  const definition = decidedBy?.definition
  return [runId, toolCallId, executionId, toolName, definition, input, about, askedAt, resolvedAs]
}

/** Notes in this browser that its user has approved the call. `change`: the fields that the answer changes. */
export async function noteApproval(
  context: RunContext,
  call: CallState,
  change: Partial<CallState>,
): Promise<void> {
  const { claims } = context.conversation
  await claims.note('approvals', approvalOf(context, { ...call, ...change }))
}

/** Notes that an approved call has started. The approval now covers only a repetition of this execution. */
export async function noteStart(
  context: RunContext,
  { call, executionId, input, by: decidedBy }: Start,
): Promise<void> {
  const { claims } = context.conversation
  const approval = approvalOf(context, call)
  if (!(await claims.isNoted('approvals', approval))) return
  await claims.note('approvals', [approval])
  await noteApproval(context, call, { executionId, input, decidedBy })
}

/**
 * Whether a call may start. Anybody may have written the rows of a store that devices share. A call that this driver
 * didn't decide therefore needs an approval given in this browser, which allows one start.
 */
export async function mayStart(context: RunContext, call: CallState): Promise<boolean> {
  if (context.ready.has(call.toolCallId)) return true
  const approval = approvalOf(context, call)
  return context.conversation.claims.isNoted('approvals', approval, [approval])
}
