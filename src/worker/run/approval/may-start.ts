import { canonicalJson } from '../../../lib/canonical-json.ts'
import { textDigest } from '../../../lib/text-digest.ts'
import type { CallState } from '../../../protocol/state.ts'
import type { RunContext } from '../run-context.ts'
import { judgeApproval } from './judge-approval.ts'

/** Names an answer that lets a call run: the question, and the input that was approved. */
function nameOf({ toolCallId, askedAt, resolvedAs, input }: CallState): string {
  return textDigest(canonicalJson([toolCallId, askedAt, resolvedAs, input]))
}

/** Notes in this browser that its person lets the call run. `change`: by the answer. */
export function noteApproval(
  { conversation }: RunContext,
  call: CallState,
  change: Partial<CallState>,
): Promise<void> {
  return conversation.claims.note('approvals', nameOf({ ...call, ...change }))
}

/**
 * Whether a call may start. In a store that devices share, anybody may have written its rows: a call that this driver
 * didn't decide needs an approval given in this browser, or none.
 */
export async function mayStart(context: RunContext, call: CallState): Promise<boolean> {
  const { conversation, ready, tools } = context
  const isKnown = ready.has(call.toolCallId) || !conversation.claims.isShared
  if (isKnown || (await conversation.claims.isNoted('approvals', nameOf(call)))) return true
  const tool = tools.get(call.toolName)
  if (!tool || call.resolvedAs) return false
  const { verdict } = await judgeApproval(context, call, { tool, input: call.input })
  return verdict.type === 'unasked'
}
