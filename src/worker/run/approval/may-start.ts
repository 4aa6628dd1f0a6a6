import { canonicalJson } from '../../../lib/canonical-json.ts'
import { textDigest } from '../../../lib/text-digest.ts'
import type { CallState } from '../../../protocol/state.ts'
import type { RunContext } from '../run-context.ts'
import type { Start } from '../starts.ts'

/** Names an answer that lets a call start: the call of its run, the question, what was approved, the start before. */
function nameOf({ runId }: RunContext, call: CallState): string {
  const { toolCallId, toolName, decidedBy, askedAt, about, resolvedAs, input, executionId } = call
  const by = decidedBy?.definition
  return textDigest(
    canonicalJson([
      runId,
      toolCallId,
      toolName,
      by,
      askedAt,
      about,
      resolvedAs,
      input,
      executionId,
    ]),
  )
}

/** Notes in this browser that its person lets the call start. `change`: by the answer. */
export function noteApproval(
  context: RunContext,
  call: CallState,
  change: Partial<CallState>,
): Promise<void> {
  const { claims } = context.conversation
  return claims.note('approvals', nameOf(context, { ...call, ...change }))
}

/** Notes that an approved call has started: the answer counts for its repetition, and no more for rows from before. */
export async function noteStart(
  context: RunContext,
  { call, executionId, input, by: decidedBy }: Start,
): Promise<void> {
  const { claims } = context.conversation
  const name = nameOf(context, call)
  if (!(await claims.isNoted('approvals', name))) return
  await claims.note('approvals', started(name))
  await noteApproval(context, call, { executionId, input, decidedBy })
}

/**
 * Whether a call may start. In a store that devices share, anybody may have written its rows: a call that this driver
 * didn't decide needs an approval that was given in this browser, which lets it start once.
 */
export async function mayStart(context: RunContext, call: CallState): Promise<boolean> {
  const { claims } = context.conversation
  if (context.ready.has(call.toolCallId) || !claims.isShared) return true
  const name = nameOf(context, call)
  return (
    (await claims.isNoted('approvals', name)) && !(await claims.isNoted('approvals', started(name)))
  )
}

function started(name: string): string {
  return `${name} started`
}
