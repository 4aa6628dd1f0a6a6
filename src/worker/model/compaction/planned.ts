import { contextOn } from '../../../conversation/context.ts'
import type { Message } from '../../../protocol/message.ts'
import type { ConversationState } from '../../../protocol/state.ts'
import type { FactDraft } from '../../store/fact-draft.ts'
import { applyContext } from './apply-context.ts'
import { messageTokens } from './request-size.ts'

/** In tokens, estimated. */
export interface Room {
  /** For all that is sent. */
  readonly total: number
  /** Of what is sent beside messages. */
  readonly fixed: number
  /** What a change must free at least: it breaks the server's cache of the prompt. */
  readonly worth: number
}

export type PlannedCompaction = Extract<
  FactDraft,
  { readonly type: 'results-cleared' | 'compacted' }
>
export type Compacting = Extract<PlannedCompaction, { readonly type: 'compacted' }>

/** Of the next request: its messages, as the context rows have them sent, and the rest. */
export function sentTokens(state: ConversationState, fixed: number): number {
  return fixed + sum(applyContext(state.path, contextOn(state)))
}

/** The same, with these facts. */
export function tokensWith(
  state: ConversationState,
  fixed: number,
  facts: readonly PlannedCompaction[],
): number {
  const rows = facts.map((fact) => ({ ...fact, seq: state.seq, at: 0 }))
  return fixed + sum(applyContext(state.path, [...contextOn(state), ...rows]))
}

function sum(messages: readonly Message[]): number {
  return messages.reduce((tokens, message) => tokens + messageTokens(message), 0)
}
