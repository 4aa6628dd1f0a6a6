import type { Agent, Run, ShownMessage } from '../index.ts'
import type { LocalState } from './context.ts'

/** The model was sent less than the conversation has, or got less than it was sent. */
export interface LostPart {
  /** A key of `words.warnings`. */
  readonly code: string
  /** The full warning, shown as details. */
  readonly message: string
}

/** A run of an agent has begun on this page, or goes on here. */
export type OnRun = (run: Run, agent: Agent) => void

const CODES = ['request-changed', 'tools-refused', 'prompt-truncated']

/** Notes what the requests of a run have lost, for the newest message that it has come to. */
export async function noteLostParts(run: Run, agent: Agent, local: LocalState): Promise<void> {
  // Events that nobody reads while they come take less memory.
  await run.result
  const lost: LostPart[] = []
  for await (const event of run)
    if (event.type === 'warning' && CODES.includes(event.code)) {
      const { code, message } = event
      lost.push({ code: message.includes('Files were left out') ? 'files' : code, message })
    }
  const { messages } = agent.conversation(run.conversationId).getSnapshot()
  const newest = messages.findLast(({ role }) => role !== 'tool')
  if (newest && lost.length > 0) local.set(lostKey(newest), lost)
}

export function lostPartsOf(local: LocalState, message: ShownMessage): readonly LostPart[] {
  return local.get(lostKey(message)) ?? []
}

function lostKey({ id }: ShownMessage): string {
  return `lost:${id}`
}
