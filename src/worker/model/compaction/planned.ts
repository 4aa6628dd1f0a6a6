import { contextOn } from '../../../conversation/context.ts'
import type { Message } from '../../../protocol/message.ts'
import type { ConversationState } from '../../../protocol/state.ts'
import type { FactDraft } from '../../store/fact-draft.ts'
import { applyContext } from './apply-context.ts'
import { messageTokens } from './request-size.ts'

/** Sizes of a request, in estimated tokens. */
export interface Room {
  /** Limit for the whole request. */
  readonly total: number
  /** Size of everything but the messages. */
  readonly fixed: number
  /** Least that a change must free, since it breaks the server's prompt cache. */
  readonly worth: number
}

export type PlannedCompaction = Extract<
  FactDraft,
  { readonly type: 'results-cleared' | 'compacted' }
>
export type Compacting = Extract<PlannedCompaction, { readonly type: 'compacted' }>

/** Size of the next request, with the context rows applied. */
export function sentTokens(state: ConversationState, fixed: number): number {
  return fixed + sum(applyContext(state.path, contextOn(state)))
}

/** Size of the next request once these facts are stored. */
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
