import type { CallState } from '../../protocol/state.ts'
import type { RunContext } from './run-context.ts'

/**
 * What a person was asked about on another page isn't there any more, or not as it was, and so is a secret of it that
 * nobody remembers: these calls are decided anew, and asked about anew, approved ones too. Decided at the commit, as answers are.
 */
export async function withdrawAskedElsewhere({
  conversation,
  pageId,
  runId,
}: RunContext): Promise<void> {
  // The function of a composite tool gives the secrets of its calls anew.
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
