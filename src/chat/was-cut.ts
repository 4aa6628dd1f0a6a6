import type { ConversationSnapshot, Run } from '../index.ts'

/** Whether a run that this page goes on with was cut off: nobody drove it, and it waited for nothing. */
export async function wasCut(run: Run, snapshot: () => ConversationSnapshot): Promise<boolean> {
  // A run that was begun here has its beginning there.
  const { value: first } = await run[Symbol.asyncIterator]().next()
  if (first?.type !== 'run-snapshot' || first.pending.length > 0 || first.parked) return false
  return !waitsForAgents(snapshot())
}

/** Of those, each says for itself whether it was cut off. */
function waitsForAgents(snapshot: ConversationSnapshot): boolean {
  const calls = snapshot.messages.at(-1)?.calls ?? []
  return calls.some(({ child, status }) => child !== undefined && status === 'executing')
}
