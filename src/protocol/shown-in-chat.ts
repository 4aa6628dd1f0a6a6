/**
 * Method of an agent that the chat calls when it shows the agent: from then on, answers need a user gesture. A symbol,
 * since it is no part of the API.
 */
export const SHOWN_IN_CHAT: unique symbol = Symbol.for('offstage.chat.1')

export interface ShownInChat {
  readonly [SHOWN_IN_CHAT]?: () => void
}
