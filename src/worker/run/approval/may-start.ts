import { canonicalJson } from '../../../lib/canonical-json.ts'
import { sha256 } from '../../../lib/sha256.ts'
import type { CallState } from '../../../protocol/state.ts'
import type { RunContext } from '../run-context.ts'
import type { Start } from '../starts.ts'

/** Names an answer that lets a call start: the call of its run, the question, what was approved, the start before. */
async function nameOf({ conversation, runId }: RunContext, call: CallState): Promise<string> {
  // Only this browser's tabs write: all of it counts as noted, and an input may be large.
  if (!conversation.claims.isShared) return ''
  const { toolCallId, toolName, decidedBy, askedAt, about, resolvedAs, input, executionId } = call
  const approved = [toolName, decidedBy?.definition, input, about, askedAt, resolvedAs]
  const name = canonicalJson([runId, toolCallId, executionId, approved])
  // Others write the input: nobody may make one with the hash of another.
  return crypto.subtle ? sha256(name) : name
}

/** Notes in this browser that its person lets the call start. `change`: by the answer. */
export async function noteApproval(
  context: RunContext,
  call: CallState,
  change: Partial<CallState>,
): Promise<void> {
  const { claims } = context.conversation
  await claims.note('approvals', await nameOf(context, { ...call, ...change }))
}

/** Notes that an approved call has started: the answer counts for its repetition, and no more for rows from before. */
export async function noteStart(
  context: RunContext,
  { call, executionId, input, by: decidedBy }: Start,
): Promise<void> {
  const { claims } = context.conversation
  const name = await nameOf(context, call)
  if (!(await claims.isNoted('approvals', name))) return
  await claims.note('approvals', `${name}!`)
  await noteApproval(context, call, { executionId, input, decidedBy })
}

/**
 * Whether a call may start. In a store that devices share, anybody may have written its rows: a call that this driver
 * didn't decide needs an approval that was given in this browser, which lets it start once.
 */
export async function mayStart(context: RunContext, call: CallState): Promise<boolean> {
  if (context.ready.has(call.toolCallId)) return true
  const name = await nameOf(context, call)
  return context.conversation.claims.isNoted('approvals', name, `${name}!`)
}
