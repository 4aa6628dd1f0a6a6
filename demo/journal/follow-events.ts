import type { Conversation, RunEvent } from 'offstage'

/**
 * Calls back with the events of each run of a conversation, from its first. To be called when the snapshot has changed: the
 * chat begins runs, and their handles are had by asking for what is open.
 */
export function followEvents(
  conversation: Conversation,
  onEvent: (event: RunEvent) => void,
  signal: AbortSignal,
): () => void {
  let followedRunId: string | undefined
  return () => {
    const { runId, ownership } = conversation.getSnapshot()
    if (runId === undefined || runId === followedRunId || ownership !== 'this-tab') return
    followedRunId = runId
    void follow(conversation, onEvent, signal)
  }
}

async function follow(
  conversation: Conversation,
  onEvent: (event: RunEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const run = await conversation.resume({ interrupted: 'ask' }).catch(() => null)
  if (!run) return
  for await (const event of run) {
    if (signal.aborted) return
    onEvent(event)
  }
}
