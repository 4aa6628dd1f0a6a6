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
  const isElsewhere = ({ status, about, toolCallId, input }: CallState): boolean =>
    (status === 'awaiting-approval' || status === 'approved') &&
    ((about !== undefined && about.pageId !== pageId) ||
      conversation.sealed.open(toolCallId, input) === null)
  if (!conversation.run?.calls.some(isElsewhere)) return
  await conversation.append((run) => {
    const open = run?.runId === runId && run.end === null ? run.calls.filter(isElsewhere) : []
    return open.length > 0
      ? open.map(({ path }) => ({ type: 'call-withdrawn' as const, path }))
      : null
  })
}
