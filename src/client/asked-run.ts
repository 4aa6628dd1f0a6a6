import type { ConversationSnapshot } from '../conversation/snapshot.ts'
import type { StartRun } from '../protocol/commands.ts'
import type { Feed } from './feed.ts'

type Asked = Pick<StartRun, 'runId' | 'conversationId' | 'message' | 'branch'>

/**
 * Returns the oldest run that this page requested and that nobody is known to drive yet. Null if another run is open,
 * or the run was refused.
 */
export function askedRun(
  commands: Iterable<Asked>,
  conversationId: string,
  feed: Pick<Feed, 'state' | 'live' | 'fault' | 'openRunId'> | undefined,
): Asked | null {
  if (feed?.fault) return null
  const openRunId = feed?.openRunId ?? null
  const isNext = ({ runId }: Asked): boolean =>
    openRunId === null
      ? runId !== feed?.state.run?.runId && runId !== feed?.live.left?.runId
      : runId === openRunId && feed?.live.ownership === 'none'
  for (const command of commands)
    if (command.conversationId === conversationId && isNext(command)) return command
  return null
}

/** Adds a requested run to the snapshot. Its message is shown at once, at its final place. */
export function withAskedRun(
  snapshot: ConversationSnapshot,
  { runId, message, branch }: Asked,
): ConversationSnapshot {
  const status = snapshot.status === 'idle' ? 'running' : snapshot.status
  if (snapshot.runId === runId) return { ...snapshot, status }
  // Fields of the previous run.
  const { messages, ended: _ended, error: _error, unsent: _unsent, ...rest } = snapshot
  const isShown = message !== null && !branch
  return {
    ...rest,
    status,
    runId,
    messages: isShown ? [...messages, { role: 'user', ...message }] : messages,
  }
}
