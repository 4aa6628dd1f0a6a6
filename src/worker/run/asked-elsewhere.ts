import type { CallState } from '../../protocol/state.ts'
import type { RunContext } from './run-context.ts'

/**
 * Withdraws calls that another page described for approval, or whose secrets are lost, even if they were approved.
 * The person may have seen an outdated description, so these calls are decided again. Checked at the commit.
 */
export async function withdrawAskedElsewhere({
  conversation,
  pageId,
  runId,
}: RunContext): Promise<void> {
  // A nested call isn't lost: its composite tool's function supplies the secrets again.
  const isLost = ({ path, toolCallId, input }: CallState): boolean =>
    path.length === 1 && conversation.sealed.open(toolCallId, input) === null
  const isElsewhere = (call: CallState): boolean =>
    (call.status === 'awaiting-approval' || call.status === 'approved') &&
    ((call.about !== undefined && call.about.pageId !== pageId) || isLost(call))
  if (!conversation.run?.calls.some(isElsewhere)) return
  await conversation.append((run) => {
    const open = run?.runId === runId && run.end === null ? run.calls.filter(isElsewhere) : []
    return open.length > 0
      ? open.map(({ path }) => ({ type: 'call-withdrawn' as const, path }))
      : null
  })
}
