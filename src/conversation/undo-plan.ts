import type { ConversationSnapshot, ShownCall, ShownMessage } from './snapshot.ts'

/**
 * Why the effect of a call stays.
 * - `undone`: the call was undone before.
 * - `unknown`: an earlier undo was interrupted, so its outcome is unknown. The undo is never repeated.
 * - `no-undo`: the call's tool has no `undo`, or the call was imported.
 * - `not-succeeded`: the call started, but failed, was interrupted or isn't done. It may have had an effect.
 */
export type KeptReason = 'undone' | 'unknown' | 'no-undo' | 'not-succeeded'

/** Forecast of `conversation.undoTurn()`, as far as this page knows. A tool's `undo` may still refuse. */
export interface UndoPlan {
  /** Calls that can be undone, in the order of undoing: the newest first. */
  readonly undoable: readonly ShownCall[]
  /**
   * Calls whose effect stays, the newest first. Calls that only read or never started have no effect, and aren't
   * listed.
   */
  readonly kept: readonly { readonly call: ShownCall; readonly reason: KeptReason }[]
}

/**
 * Plans the undo of a turn: a user message and all messages up to the next user message. `messageId`: any message of
 * the turn. Null if the snapshot's messages don't include it.
 *
 * @example
 * const plan = undoPlan(conversation.getSnapshot(), message.id)
 * if (plan?.undoable.length) button.onclick = () => conversation.undoTurn(message.id)
 */
export function undoPlan(
  { messages }: Pick<ConversationSnapshot, 'messages'>,
  messageId: string,
): UndoPlan | null {
  const turn = turnAt(messages, messageId)
  if (turn.length === 0) return null
  const calls = turn.flatMap(({ calls = [] }) => calls).toReversed()
  return {
    undoable: calls.filter(({ undoable }) => undoable),
    kept: calls.flatMap((call) => {
      const reason = keptReason(call)
      return reason ? { call, reason } : []
    }),
  }
}

/** Returns the messages of a message's turn. Empty if the message is unknown. */
export function turnAt(
  messages: readonly ShownMessage[],
  messageId: string,
): readonly ShownMessage[] {
  const at = messages.findIndex(({ id }) => id === messageId)
  const isUser = ({ role }: ShownMessage): boolean => role === 'user'
  const from = Math.max(0, messages.slice(0, at + 1).findLastIndex(isUser))
  const next = messages.findIndex((message, index) => index > at && isUser(message))
  return at < 0 ? [] : messages.slice(from, next < 0 ? undefined : next)
}

function keptReason({ status, startedAt, readOnly, undoable, undo }: ShownCall): KeptReason | null {
  if (undoable || readOnly || startedAt === undefined) return null
  if (status !== 'succeeded') return 'not-succeeded'
  return undo === 'done' ? 'undone' : undo === 'unknown' ? 'unknown' : 'no-undo'
}
