import { hasPlan } from '../../conversation/context.ts'
import type { StartRun } from '../../protocol/commands.ts'
import type { UserContent } from '../../protocol/fact.ts'
import type { RunLimits } from '../../protocol/run.ts'
import type { ConversationState } from '../../protocol/state.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { delivered } from './queued-messages.ts'
import { takenWith } from './taken-in.ts'

export interface Place {
  /** Id of the message to continue from. Default: the head. */
  readonly parentId?: string | null
  readonly forCall?: true
}

/** Starts a run and its first step in one commit, to wait for the disk once. Delivers the queued messages, too. */
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

/** Drops the model's plan when a new request begins: the plan was for the request before. */
export function planDropped(state: ConversationState, message: StartRun['message']): FactDraft[] {
  return message && hasPlan(state) ? [{ type: 'plan-changed', after: message.id, plan: [] }] : []
}
