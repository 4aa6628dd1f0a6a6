import { hasPlan } from '../../conversation/context.ts'
import type { StartRun } from '../../protocol/commands.ts'
import type { UserContent } from '../../protocol/fact.ts'
import type { RunLimits } from '../../protocol/run.ts'
import type { ConversationState } from '../../protocol/state.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { delivered } from './queued-messages.ts'
import { takenWith } from './taken-in.ts'

export interface Place {
  /** Default: the head. */
  readonly parentId?: string | null
  readonly forCall?: true
}

/** The run, and its first step: one wait for the disk. Queued messages that begin it, too, are delivered with it. */
export function firstFacts(
  [message, ...queued]: readonly [StartRun['message'], ...UserContent[]],
  limits: RunLimits,
  place: Place = {},
): FactDraft[] {
  return [
    { type: 'run-started', message, limits, ...place },
    ...takenWith(message),
    ...queued.flatMap(delivered),
    { type: 'step-started', step: 1, resumed: false },
  ]
}

/** With a new request of the person, what the model had planned for the one before is over. */
export function planDropped(state: ConversationState, message: StartRun['message']): FactDraft[] {
  return message && hasPlan(state) ? [{ type: 'plan-changed', after: message.id, plan: [] }] : []
}
