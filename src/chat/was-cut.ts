import type { ConversationSnapshot, Run } from '../index.ts'

/** Whether a run that this page resumes was cut off: it had no driver, and waited for nothing. */
export async function wasCut(run: Run, snapshot: () => ConversationSnapshot): Promise<boolean> {
  // A run that this page started has its events from the start, without a snapshot.
  const { value: first } = await run[Symbol.asyncIterator]().next()
  if (first?.type !== 'run-snapshot' || first.pending.length > 0 || first.parked) return false
  return !waitsForAgents(snapshot())
}

/** Whether calls wait for child agents, whose runs report themselves whether they were cut off. */
function waitsForAgents(snapshot: ConversationSnapshot): boolean {
  const calls = snapshot.messages.at(-1)?.calls ?? []
  return calls.some(({ child, status }) => child !== undefined && status === 'executing')
}
