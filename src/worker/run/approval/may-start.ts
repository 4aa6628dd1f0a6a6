import type { CallState } from '../../../protocol/state.ts'
import type { RunContext } from '../run-context.ts'
import type { Start } from '../starts.ts'

/** What lets a call start: the call of its run, the question, what was approved, the start before. */
function approvalOf({ runId }: RunContext, call: CallState): readonly unknown[] {
  const { toolCallId, toolName, decidedBy, askedAt, about, resolvedAs, input, executionId } = call
  const definition = decidedBy?.definition
  return [runId, toolCallId, executionId, toolName, definition, input, about, askedAt, resolvedAs]
}

/** Notes in this browser that its person lets the call start. `change`: by the answer. */
export async function noteApproval(
  context: RunContext,
  call: CallState,
  change: Partial<CallState>,
): Promise<void> {
  const { claims } = context.conversation
  await claims.note('approvals', approvalOf(context, { ...call, ...change }))
}

/** Notes that an approved call has started: the answer counts for its repetition, and no more for rows from before. */
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
 * Whether a call may start. In a store that devices share, anybody may have written its rows: a call that this driver
 * didn't decide needs an approval that was given in this browser, which lets it start once.
 */
export async function mayStart(context: RunContext, call: CallState): Promise<boolean> {
  if (context.ready.has(call.toolCallId)) return true
  const approval = approvalOf(context, call)
  return context.conversation.claims.isNoted('approvals', approval, [approval])
}
